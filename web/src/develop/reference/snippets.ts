import { quote } from '../../shell-quote.ts'
import { curlTo, keyPlaceholder } from '../../ui/curl.ts'
import type { Operation } from './read-api.ts'

export const languages = ['curl', 'Node', 'Python', 'PHP'] as const
export type Language = (typeof languages)[number]

type Wanted = { publicUrl: string; operation: Operation; apiKey: string }

/** A call that can be copied and run as it is, with a key. */
export function snippetOf(language: Language, { publicUrl, operation, apiKey }: Wanted): string {
  const { method, example } = operation
  const url = `${publicUrl}/v1${addressOf(operation)}`
  const key = apiKey || keyPlaceholder
  const json = example === undefined ? undefined : JSON.stringify(example, null, 2)
  return { curl, Node: node, Python: python, PHP: php }[language]({ method, url, key, json, publicUrl })
}

/** An address to look up stands for the query; an id in the path is to be replaced. */
function addressOf({ path, method, groups }: Operation): string {
  const query = groups.find(({ title }) => title === 'query')?.fields ?? []
  const isLookup = method === 'GET' && query.some(({ name }) => name === 'email')
  return `${path.replace(/\{(\w+)\}/g, 'YOUR_$1')}${isLookup ? '?email=ana%40example.com' : ''}`
}

type Call = { method: string; url: string; key: string; json: string | undefined; publicUrl: string }

function curl({ url, key, json, publicUrl }: Call): string {
  const lines = [`${curlTo(publicUrl)} ${quote(url)}`, `  -H ${quote(`x-api-key: ${key}`)}`]
  if (json !== undefined) lines.push(`  -H 'content-type: application/json'`, `  -d ${quote(json)}`)
  return lines.join(' \\\n')
}

function node({ method, url, key, json }: Call): string {
  const body = json === undefined ? '' : `\n  body: JSON.stringify(${indent(json, '  ')}),`
  return `const answer = await fetch('${url}', {
  method: '${method}',
  headers: { 'x-api-key': '${key}', 'content-type': 'application/json' },${body}
})
console.log(answer.status, await answer.json())`
}

function python({ method, url, key, json }: Call): string {
  const body = json === undefined ? '' : `\n    data=json.dumps(json.loads(r'''${json}''')).encode(),`
  return `import json, urllib.request

request = urllib.request.Request(
    "${url}",
    method="${method}",
    headers={"x-api-key": "${key}", "content-type": "application/json"},${body}
)
print(json.load(urllib.request.urlopen(request)))`
}

function php({ method, url, key, json }: Call): string {
  const body = json === undefined ? '' : `\n  CURLOPT_POSTFIELDS => <<<'JSON'\n${json}\nJSON,`
  return `<?php
$call = curl_init('${url}');
curl_setopt_array($call, [
  CURLOPT_CUSTOMREQUEST => '${method}',
  CURLOPT_RETURNTRANSFER => true,
  CURLOPT_HTTPHEADER => ['x-api-key: ${key}', 'content-type: application/json'],${body}
]);
echo curl_exec($call);`
}

function indent(text: string, by: string): string {
  return text.replaceAll('\n', `\n${by}`)
}
