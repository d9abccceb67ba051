import type { ChatLanguage } from '@patchbay/contract/chat/protocol.ts'

/** A short talk for the preview: a question, its answer, two offers, and what is answered to anything else. */
type Sample = { question: string; answer: string; offers: [string, string]; reply: string }

export const sampleWords: Record<ChatLanguage, Sample> = {
  en: {
    question: 'Are you open on Saturday?',
    answer: 'Yes, from 10 to 16. On Sundays we are closed.',
    offers: ['Book a visit', 'Talk to a person'],
    reply: 'This is a sample: nothing that you write here is kept.',
  },
  de: {
    question: 'Haben Sie am Samstag offen?',
    answer: 'Ja, von 10 bis 16 Uhr. Sonntags ist geschlossen.',
    offers: ['Termin vereinbaren', 'Mit einem Menschen sprechen'],
    reply: 'Das ist ein Beispiel: nichts, was Sie hier schreiben, wird aufbewahrt.',
  },
  fr: {
    question: 'Êtes-vous ouverts le samedi ?',
    answer: 'Oui, de 10 h à 16 h. Le dimanche, nous sommes fermés.',
    offers: ['Prendre rendez-vous', 'Parler à une personne'],
    reply: 'Ceci est un exemple : rien de ce que vous écrivez ici n’est gardé.',
  },
  es: {
    question: '¿Abren los sábados?',
    answer: 'Sí, de 10 a 16. Los domingos cerramos.',
    offers: ['Reservar una visita', 'Hablar con una persona'],
    reply: 'Es un ejemplo: nada de lo que escriba aquí se guarda.',
  },
  ar: {
    question: 'هل تفتحون يوم السبت؟',
    answer: 'نعم، من 10 إلى 16. نغلق يوم الأحد.',
    offers: ['حجز زيارة', 'التحدث إلى شخص'],
    reply: 'هذا مثال: لا يُحفظ شيء مما تكتبه هنا.',
  },
}
