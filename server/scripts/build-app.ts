import { buildApp } from '../src/app/page/build-app.ts'

/** Makes the build of the app that `npm start` would make, for an image that starts without one. */
const { folder } = await buildApp()
process.stdout.write(`${folder}\n`)
