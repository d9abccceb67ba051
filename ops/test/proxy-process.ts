import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, open, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { openClient } from '../../server/test/helpers/https-client.ts'
import { until } from '../../server/test/helpers/until.ts'

const ops = resolve(import.meta.dirname, '..')

/** What a sample is changed to for a run on this machine: ports, files, and the servers behind it. */
export type Setup = { folder: string; servers: string[]; certificates: string; certificate: string; key: string }

export type Proxy = { url: string; output: () => string; [Symbol.asyncDispose]: () => Promise<void> }

type Prepared = { url: string; command: [string, ...string[]] }

/** By the sample that they run with. */
export const proxies: Record<string, { program: string; prepare: (setup: Setup) => Promise<Prepared> }> = {
  nginx: { program: 'nginx', prepare: prepareNginx },
  caddy: { program: 'caddy', prepare: prepareCaddy },
  'caddy of cluster.yaml': { program: 'caddy', prepare: prepareCaddyOfCompose },
}

/** Starts the proxy with its sample file, and waits until it passes requests on. */
export async function startProxy(name: string, setup: Setup): Promise<Proxy> {
  const proxy = proxies[name]
  if (!proxy) throw new Error(`there is no sample for ${name}`)
  const { url, command } = await proxy.prepare(setup)
  const [program, ...args] = command
  const file = await open(join(setup.folder, 'output'), 'a')
  const env = { PATH: process.env.PATH, HOME: setup.folder }
  const child = spawn(program, args, { env, stdio: ['ignore', file.fd, file.fd] })
  const output = () => readFileSync(join(setup.folder, 'output'), 'utf8')
  const ended = once(child, 'exit')
  const client = openClient({})
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${output()}`)
    const answer = await client.send(`${url}/readyz`).catch(() => undefined)
    return answer?.status === 200
  }, `${name} passes nothing on`)
  client.close()
  return {
    url,
    output,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await ended
      await file.close()
    },
  }
}

async function prepareNginx({ folder, servers, certificates, certificate, key }: Setup): Promise<Prepared> {
  const port = await freePort()
  const files = { own: certificates, 'fullchain.pem': certificate, 'privkey.pem': key }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const sample = await readSample('nginx/patchbay.conf')
  const site = sample
    .change(/listen (\[::\]:)?80;\n/g, '')
    .change(/listen \[::\]:443 ssl http2;\n/, '')
    .change('listen 443 ssl http2;', `listen 127.0.0.1:${port} ssl http2;`)
    .change(/server_name chat\.example\.com;/g, 'server_name localhost;')
    .change(/server {\s*server_name localhost;[\s\S]*?\n}\n/, `server { listen 127.0.0.1:${await freePort()}; }\n`)
    .change(/server 127\.0\.0\.1:8443( .*;)/, servers.map((server) => `server ${server}$1`).join('\n'))
    .change(/\/etc\/nginx\/patchbay/g, folder)
    .change('/var/log/nginx/patchbay.log', join(folder, 'output'))
    .change('/var/lib/patchbay/tls/cert.pem', join(folder, 'own'))
  await mkdir(join(folder, 'temporary'))
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const paths = kinds.map((kind) => `${kind}_temp_path ${folder}/temporary/${kind};`)
  const user = process.getuid?.() === 0 ? 'user root;' : '' // else its workers cannot write into the folder
  const main = [user, 'daemon off; worker_processes 2; error_log stderr;', `pid ${folder}/pid; events {}`]
  const config = [...main, 'http {', ...paths, site.text, '}'].join('\n')
  await writeFile(join(folder, 'nginx.conf'), config)
  return { url: `https://localhost:${port}`, command: ['nginx', '-c', join(folder, 'nginx.conf'), '-e', 'stderr'] }
}

async function prepareCaddy(setup: Setup): Promise<Prepared> {
  await writeFile(join(setup.folder, 'own'), setup.certificates)
  const sample = await readSample('caddy/Caddyfile')
  const behind = sample
    .change('reverse_proxy 127.0.0.1:8443 {', `reverse_proxy ${setup.servers.join(' ')} {`)
    .change(/tls_trusted_ca_certs .*/, `tls_trusted_ca_certs ${setup.folder}/own`)
  return await caddyCommand(behind, 'chat.example.com {', setup)
}

async function prepareCaddyOfCompose(setup: Setup): Promise<Prepared> {
  const sample = await readSample('compose/Caddyfile')
  const servers = setup.servers.map((server) => `http://${server}`)
  const behind = sample.change('http://api-1:8443 http://api-2:8443', servers.join(' '))
  return await caddyCommand(behind, '{$SITE_ADDRESS} {', setup)
}

/** With a certificate of the test's own, and without the port for administration. */
async function caddyCommand(sample: Sample, site: string, { folder, certificate, key }: Setup): Promise<Prepared> {
  const port = await freePort()
  await writeFile(join(folder, 'fullchain.pem'), certificate)
  await writeFile(join(folder, 'privkey.pem'), key)
  const { text } = sample
    .change('\n{\n', '\n{\nadmin off\nauto_https off\n')
    .change(site, `https://localhost:${port} {\ntls ${folder}/fullchain.pem ${folder}/privkey.pem`)
  await writeFile(join(folder, 'Caddyfile'), text)
  return { url: `https://localhost:${port}`, command: ['caddy', 'run', '--config', join(folder, 'Caddyfile')] }
}

type Sample = { text: string; change: (from: string | RegExp, to: string) => Sample }

async function readSample(path: string): Promise<Sample> {
  return sampleOf(await readFile(join(ops, path), 'utf8'))
}

/** A change that finds nothing would leave a line of the sample untried. */
function sampleOf(text: string): Sample {
  return {
    text,
    change: (from, to) => {
      const changed = text.replace(from, to)
      if (changed === text) throw new Error(`the sample has no ${from}`)
      return sampleOf(changed)
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
