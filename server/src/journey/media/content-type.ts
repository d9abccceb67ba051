/**
 * The type and subtype of a MIME type in lower case, without its parameters. Undefined when it is not a MIME type; a
 * range such as `image/*` is none.
 */
export function essenceOf(contentType: string): string | undefined {
  const [essence = ''] = contentType.split(';', 1)
  const text = essence.trim().toLowerCase()
  return shape.test(text) ? text : undefined
}

/** Two names as defined by RFC 6838. */
const shape = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/

/** One name for all aliases of a type. Only for comparing types: it is not stored. */
export function commonName(essence: string): string {
  const name = essence.replace('/x-', '/')
  return commonNames.get(name) ?? name
}

/** Whether files of this type, given by its common name, are text. */
export function isText(name: string): boolean {
  return name.startsWith('text/') || textual.test(name)
}

const textual = /^application\/(json|json5|jsonl|ndjson|xml|xml-dtd|toml|sql|graphql|sh|subrip)$|\+(json|xml|yaml)$/

/**
 * Aliases of one type, without `x-`, the common name first. A container for audio or video has the names of both, since
 * only its tracks would tell them apart. MP4 is based on QuickTime, phones write 3GPP files as MP4, and cameras write
 * raw images as TIFF.
 */
const aliases = [
  ['application/octet-stream', 'binary/octet-stream', 'application/binary'],
  ['image/jpeg', 'image/jpg', 'image/pjpeg', 'image/jpe'],
  ['image/png', 'image/apng'],
  ['image/bmp', 'image/ms-bmp', 'image/windows-bmp'],
  ['image/tiff', 'image/tif', 'image/canon-cr2', 'image/nikon-nef', 'image/sony-arw', 'image/adobe-dng', 'image/dng'],
  ['image/icon', 'image/ico', 'image/vnd.microsoft.icon'],
  ['image/heic', 'image/heif', 'image/heic-sequence', 'image/heif-sequence'],
  ['image/vnd.adobe.photoshop', 'image/psd', 'image/photoshop', 'application/photoshop'],
  ['image/vnd.dwg', 'image/dwg', 'application/dwg', 'application/acad'],
  ['image/svg+xml', 'image/svg'],
  ['audio/mpeg', 'audio/mp3', 'audio/mpeg3', 'audio/mpeg-3', 'audio/mpg', 'audio/mpegaudio'],
  ['audio/wav', 'audio/wave', 'audio/vnd.wave', 'audio/pn-wav'],
  ['audio/aac', 'audio/aacp'],
  ['audio/aiff', 'audio/aif'],
  ['audio/amr', 'audio/amr-nb', 'audio/amr-wb'],
  ['audio/midi', 'audio/mid', 'application/midi'],
  ['audio/vnd.dolby.dd-raw', 'audio/ac3'],
  [
    ...['video/mp4', 'audio/mp4', 'application/mp4', 'audio/m4a', 'video/m4v', 'video/quicktime'],
    ...['video/3gpp', 'audio/3gpp', 'video/3gp', 'audio/3gp', 'video/3gpp2', 'audio/3gpp2'],
  ],
  ['video/webm', 'audio/webm'],
  ['video/matroska', 'audio/matroska', 'video/mkv'],
  [
    ...['audio/ogg', 'video/ogg', 'application/ogg', 'audio/opus', 'audio/vorbis', 'audio/vorbis+ogg'],
    ...['audio/speex', 'audio/opus+ogg', 'video/theora'],
  ],
  ['video/vnd.avi', 'video/avi', 'video/msvideo'],
  ['video/mpeg', 'video/mpg', 'video/mp1s', 'video/mp2p'],
  [
    ...['video/ms-asf', 'audio/ms-asf', 'application/vnd.ms-asf', 'video/ms-wmv', 'audio/ms-wma', 'video/ms-wm'],
    ...['video/wmv', 'audio/wma'],
  ],
  ['application/pdf', 'application/acrobat', 'text/pdf'],
  ['application/rtf', 'text/rtf', 'text/richtext'],
  ['application/postscript', 'application/eps', 'image/eps'],
  ['application/zip', 'application/zip-compressed', 'multipart/zip'],
  ['application/gzip', 'application/gtar-compressed', 'application/compressed-tar', 'application/tgz'],
  ['application/rar-compressed', 'application/rar', 'application/vnd.rar'],
  ['application/tar', 'application/gtar', 'application/ustar'],
  ['application/bzip2', 'application/bzip'],
  ['application/msdownload', 'application/dosexec', 'application/vnd.microsoft.portable-executable', 'application/exe'],
  ['application/elf', 'application/executable', 'application/sharedlib'],
  ['application/sqlite3', 'application/vnd.sqlite3'],
  ['font/ttf', 'font/sfnt', 'application/font-ttf', 'application/font-sfnt', 'application/font-truetype'],
  ['font/otf', 'application/font-otf', 'application/font-opentype', 'application/vnd.ms-opentype'],
  ['font/woff', 'application/font-woff'],
  ['font/woff2', 'application/font-woff2'],
  ['text/csv', 'application/csv', 'text/comma-separated-values'],
  ['application/json', 'text/json'],
  ['application/xml', 'text/xml'],
  ['text/javascript', 'application/javascript', 'application/ecmascript', 'text/ecmascript'],
  ['text/yaml', 'application/yaml', 'text/yml'],
  ['text/vcard', 'text/directory', 'application/vcard'],
  ['text/calendar', 'text/vcalendar', 'application/ics'],
]

const commonNames = new Map(
  aliases.flatMap(([common = '', ...others]) => others.map((name) => [name, common] as const)),
)

/** Raster images that browsers show. What is stored as one of these begins as such a file does. */
const pictures = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'])

/** Whether a stored file of this type may be shown in a page: a format with pixels and no script. */
export function isPicture(contentType: string): boolean {
  return pictures.has(commonName(contentType))
}
