/** Names the line that is missing in the page's policy, where it keeps the chat from what it needs. */
export function sayMissingPolicy(origin: string): void {
  const said = new Set<string>()
  document.addEventListener('securitypolicyviolation', ({ blockedURI, effectiveDirective }) => {
    const directive = effectiveDirective.replace(/-elem$/, '')
    if (!blockedURI.startsWith(origin) || said.has(directive)) return
    said.add(directive)
    console.warn(`Patchbay chat: the policy of this page lacks: ${directive} ${origin}`)
  })
}
