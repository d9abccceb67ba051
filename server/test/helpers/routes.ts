/** The routes in the tree that Fastify prints, each as `GET /v1/contacts`. */
export function readRoutes(tree: string): string[] {
  const path: string[] = []
  return tree
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] = /^(.*?)[├└]── (.*?)(?: \(([^)]*)\))?$/.exec(line) ?? []
      const depth = indent.length / 4
      path.splice(depth, path.length, part)
      const named = methods.split(', ').filter((method) => method !== '' && method !== 'HEAD')
      return named.map((method) => `${method} ${path.join('')}`)
    })
}
