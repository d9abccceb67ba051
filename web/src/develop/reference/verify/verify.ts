// biome-ignore lint/correctness/useImportExtensions: it has one; ?raw asks the bundler for its text
import node from './verify.js?raw'
import php from './verify.php?raw'
import python from './verify.py?raw'

/** Code that verifies the signature of a post: files that tests run, and that docs/webhooks.md shows, too. */
export const verifyIn = { Node: node, Python: python, PHP: php }
