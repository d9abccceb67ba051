import { type ChatPost, chatLanguages, chatLimits } from '@patchbay/contract/chat/protocol.ts'
import { Type } from '@patchbay/contract/schema.ts'

/** What is more is left alone: browsers may be a version ahead. */
export const PostBody = Type.Unsafe<ChatPost>(
  Type.Object({
    id: Type.String({ pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' }),
    text: Type.String({ maxLength: chatLimits.textUnits }),
    choice: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_]{1,128}$' })),
    fileId: Type.Optional(Type.String({ maxLength: 128 })),
    page: Type.Optional(Type.String({ maxLength: 8_192 })),
    language: Type.String({ enum: [...chatLanguages] }),
    browser: Type.Optional(Type.String({ maxLength: 64 })),
  }),
)

const seq = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
export const MarksBody = Type.Object({ delivered: seq, read: seq })

/** The format is looked at by hand, so that what is wrong is said in words. */
export const EmailBody = Type.Object({ email: Type.String({ maxLength: 1_000 }) })

const number = Type.String({ pattern: '^[0-9]{1,15}$' })
export const PageQuery = Type.Object({ after: Type.Optional(number), before: Type.Optional(number) })
export const StreamQuery = Type.Object({ after: Type.Optional(number) })
export const UploadQuery = Type.Object({ name: Type.Optional(Type.String({ maxLength: 1_000 })) })
