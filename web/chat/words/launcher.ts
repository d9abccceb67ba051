import type { ChatLanguage } from '@patchbay/contract/chat/protocol.ts'

/** The few words that are needed before the panel is: the loader has them in all languages. */
export type LauncherWords = {
  open: string
  openNew: (count: number) => string
  close: string
  hide: string
  failed: string
}

export const launcherWords: Record<ChatLanguage, LauncherWords> = {
  en: {
    open: 'Open the chat',
    openNew: (count) => `Open the chat, ${count} new ${count === 1 ? 'message' : 'messages'}`,
    close: 'Close the chat',
    hide: 'Hide',
    failed: 'The chat did not load. Please try again.',
  },
  de: {
    open: 'Chat öffnen',
    openNew: (count) => `Chat öffnen, ${count} neue ${count === 1 ? 'Nachricht' : 'Nachrichten'}`,
    close: 'Chat schließen',
    hide: 'Ausblenden',
    failed: 'Der Chat wurde nicht geladen. Bitte noch einmal versuchen.',
  },
  fr: {
    open: 'Ouvrir la discussion',
    openNew: (count) => `Ouvrir la discussion, ${count} ${count === 1 ? 'nouveau message' : 'nouveaux messages'}`,
    close: 'Fermer la discussion',
    hide: 'Masquer',
    failed: 'La discussion ne s’est pas chargée. Veuillez réessayer.',
  },
  es: {
    open: 'Abrir el chat',
    openNew: (count) => `Abrir el chat, ${count} ${count === 1 ? 'mensaje nuevo' : 'mensajes nuevos'}`,
    close: 'Cerrar el chat',
    hide: 'Ocultar',
    failed: 'El chat no se ha cargado. Inténtelo de nuevo.',
  },
  ar: {
    open: 'فتح المحادثة',
    openNew: (count) => `فتح المحادثة، ${newInArabic(count)}`,
    close: 'إغلاق المحادثة',
    hide: 'إخفاء',
    failed: 'لم تُحمَّل المحادثة. يُرجى المحاولة مرة أخرى.',
  },
}

function newInArabic(count: number): string {
  if (count === 1) return 'رسالة جديدة واحدة'
  if (count === 2) return 'رسالتان جديدتان'
  return count % 100 >= 3 && count % 100 <= 10 ? `${count} رسائل جديدة` : `${count} رسالة جديدة`
}
