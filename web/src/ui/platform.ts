/** Whether shortcuts are pressed with ⌘ here. */
export const isMac = /mac|iphone|ipad/i.test(navigator.platform)
