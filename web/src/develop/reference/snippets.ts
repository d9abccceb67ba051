import { curlTo, keyPlaceholder, type Server } from '../../ui/curl.ts'
import { quote } from '../../ui/shell-quote.ts'
import type { Operation } from './read-api.ts'

export const languages = ['curl', 'Node', 'Python', 'PHP'] as const
export type Language = (typeof languages)[number]

type SnippetRequest = { server: Server; operation: Operation; apiKey: string }

/** A call that can be copied and run as it is, with a key. */
export function snippetOf(language: Language, { server, operation, apiKey }: SnippetRequest): string {
  const { method, example } = operation
  const url = `${server.publicUrl}/v1${addressOf(operation)}`
  const key = apiKey || keyPlaceholder
  const json = example === undefined ? undefined : JSON.stringify(example, null, 2)
  return { curl, Node: node, Python: python, PHP: php }[language]({
    method,
    url,
    key,
    json,
    certificate: server.certificate,
  })
}

/** An address to look up stands for the query; an id in the path is to be replaced. */
function addressOf({ path, method, groups }: Operation): string {
  const query = groups.find(({ title }) => title === 'query')?.fields ?? []
  const isLookup = method === 'GET' && query.some(({ name }) => name === 'email')
  return `${path.replace(/\{(\w+)\}/g, 'YOUR_$1')}${isLookup ? '?email=ana%40example.com' : ''}`
}

type Call = { method: string; url: string; key: string; json: string | undefined; certificate: string | null }

function curl({ url, key, json, certificate }: Call): string {
  const lines = [`${curlTo({ certificate })} ${quote(url)}`, `  -H ${quote(`x-api-key: ${key}`)}`]
  if (json !== undefined) lines.push(`  -H 'content-type: application/json'`, `  -d ${quote(json)}`)
  return lines.join(' \\\n')
}

/** Node's fetch takes no certificate by the call, so the command that runs the file names it. */
function node({ method, url, key, json, certificate }: Call): string {
  const trust = certificate === null ? '' : `// NODE_EXTRA_CA_CERTS=${quote(certificate)} node call.mjs\n`
  const body = json === undefined ? '' : `\n  body: JSON.stringify(${indent(json, '  ')}),`
  return `${trust}const answer = await fetch('${url}', {
  method: '${method}',
  headers: { 'x-api-key': '${key}', 'content-type': 'application/json' },${body}
})
console.log(answer.status, await answer.json())`
}

function python({ method, url, key, json, certificate }: Call): string {
  const trust = certificate === null ? '' : `cafile=${JSON.stringify(certificate)}`
  const body = json === undefined ? '' : `\n    data=json.dumps(json.loads(r'''${json}''')).encode(),`
  return `import json, ssl, urllib.error, urllib.request

request = urllib.request.Request(
    "${url}",
    method="${method}",
    headers={"x-api-key": "${key}", "content-type": "application/json"},${body}
)
trust = ssl.create_default_context(${trust})
try:
    print(json.load(urllib.request.urlopen(request, context=trust)))
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())`
}

function php({ method, url, key, json, certificate }: Call): string {
  const trust = certificate === null ? '' : `\n  CURLOPT_CAINFO => ${quotePhp(certificate)},`
  const body = json === undefined ? '' : `\n  CURLOPT_POSTFIELDS => <<<'JSON'\n${json}\nJSON,`
  return `<?php
$call = curl_init('${url}');
curl_setopt_array($call, [
  CURLOPT_CUSTOMREQUEST => '${method}',
  CURLOPT_RETURNTRANSFER => true,
  CURLOPT_HTTPHEADER => ['x-api-key: ${key}', 'content-type: application/json'],${trust}${body}
]);
$answer = curl_exec($call);
echo $answer === false ? curl_error($call) : $answer, "\\n";`
}

function quotePhp(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`
}

function indent(text: string, by: string): string {
  return text.replaceAll('\n', `\n${by}`)
}
