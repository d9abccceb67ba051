/** A function that the test puts into the page: if anything of a payload runs, it is called. */
const hit = (where: string) => `hit('${where}')`

/**
 * What a stranger may write into any field, each short enough for a name (256 characters): markup that runs script, leaves
 * its attribute, changes the page or calls another host; links that run; templates; names of properties that every object
 * has; and text that is only hard to lay out.
 */
export const payloads = {
  elements: `"><img src=x onerror="${hit('img')}"><svg onload=${hit('svg')}><script>${hit('script')}</script>`,
  frames: `<iframe srcdoc="<script>parent.${hit('frame')}</script>"></iframe><object data="javascript:${hit('object')}">`,
  attributes: `' onmouseover='${hit('over')}' autofocus onfocus="${hit('focus')}" style="position:fixed;inset:0`,
  page: `</title></style><style>*{display:none}</style><base href=//evil.example><meta http-equiv=refresh content=0;//evil.example>`,
  remote: `<link rel=stylesheet href=//evil.example/a.css><img src=//evil.example/b><video src=//evil.example/c>`,
  entities: `&lt;img src=x onerror=${hit('entity')}&gt; &#60;script&#62; \\u003cscript\\u003e %3Cscript%3E`,
  markdown: `[here](javascript:${hit('markdown')}) ![x](https://evil.example/i.png) <javascript:${hit('auto')}>`,
  links: `javascript:${hit('link')} JaVa\tScRiPt:${hit('case')} data:text/html,<script>${hit('data')}</script> vbscript:x file:///etc`,
  lookalikes: 'https://bank.example@evil.example/ https://b\u0430nk.example/ https://bank.example\u2215x.evil.example/',
  templates: `{{constructor.constructor("${hit('braces')}")()}} \${${hit('literal')}} <%= ${hit('erb')} %> #{7*7}`,
  properties: '__proto__',
  rightToLeft: 'שלום \u202Egpj.exe\u202C مرحبا \u2067 ad \u2066 open',
  marks: `Z\u0351\u036B\u0343\u036A\u0302\u036B\u033D\u034F\u0334\u0319\u0324\u031Ee${'\u0301'.repeat(120)}`,
  emoji: `${'👩‍👩‍👧‍👦'.repeat(10)}🏳️‍🌈🇵🇹`,
  word: 'W'.repeat(256),
} as const

export type PayloadName = keyof typeof payloads
export const payloadNames = Object.keys(payloads) as PayloadName[]

/** As many bytes as a message may have: every payload, words without a break, and characters of several bytes. */
export function largestBody(): string {
  const text = `${Object.values(payloads).join('\n')} ${'W'.repeat(20_000)} ${'👩‍👩‍👧‍👦 שלום e\u0301 '.repeat(900)}`
  const bytes = Buffer.from(text)
    .subarray(0, 65_000)
    .toString()
    .replace(/\uFFFD+$/, '')
  return bytes + 'x'.repeat(65_536 - Buffer.byteLength(bytes))
}
