/** Campaigns of any size: the entries of the files, and as many about single products as are missing. */
import type { Entry } from './evaluate.ts'

export type Language = 'en' | 'es' | 'de'

/** Campaigns of so many entries that together have all of these; with entries about products where they are too few. */
export function campaignsOf(own: Entry[], size: number, language: Language): Entry[][] {
  if (own.length <= size) return [[...own, ...productEntries(language).slice(0, size - own.length)]]
  return [own.slice(0, size), own.slice(-size)]
}

/** 960 entries: what a shop with 60 products may write about each of them. They are near to the general ones. */
function productEntries(language: Language): Entry[] {
  return models.flatMap((model, m) =>
    kinds[language].flatMap((kind, k) =>
      facts[language].map(([question, answer], f) => {
        const number = String(10 + ((m * 37 + k * 11 + f * 5) % 80))
        const fill = (text: string) => text.replaceAll('{it}', `${kind} ${model}`).replaceAll('{n}', number)
        return { name: `${model}-${k}-${f}`, questions: [fill(question)], answer: fill(answer) }
      }),
    ),
  )
}

const models = ['Alma', 'Bruna', 'Cosmo', 'Dalia', 'Elva', 'Fjord']

const kinds: Record<Language, string[]> = {
  en: ['table', 'chair', 'sofa', 'bed', 'shelf', 'lamp', 'rug', 'wardrobe', 'desk', 'mirror'],
  es: ['mesa', 'silla', 'cama', 'estantería', 'lámpara', 'alfombra', 'butaca', 'cómoda', 'mesilla', 'vitrina'],
  de: ['Tisch', 'Stuhl', 'Sessel', 'Schrank', 'Spiegel', 'Teppich', 'Hocker', 'Schreibtisch', 'Nachttisch', 'Esstisch'],
}

const facts: Record<Language, [question: string, answer: string][]> = {
  en: [
    ['How wide is the {it}?', 'The {it} is {n} cm wide.'],
    ['How high is the {it}?', 'It is {n} cm high.'],
    ['How much does the {it} weigh?', 'The {it} weighs {n} kg with its packaging.'],
    ['What is the {it} made of?', 'Solid oak, oiled, with parts of steel.'],
    ['Which colors does the {it} come in?', 'Natural, smoked and black.'],
    ['What does the {it} cost?', 'The {it} costs {n}9 dollars.'],
    ['How long does delivery of the {it} take?', 'The {it} is made to order and arrives in {n} days.'],
    ['Does the {it} come assembled?', 'It comes in two parts; putting it together takes {n} minutes.'],
    ['How do I clean the {it}?', 'Wipe it with a dry cloth.'],
    ['Is there a warranty on the {it}?', 'Yes, {n} months on the {it}.'],
    ['Can I return the {it}?', 'Within {n} days, in its box.'],
    ['How much weight does the {it} hold?', 'Up to {n} kg.'],
    ['Is the {it} suitable for outdoors?', 'No, moisture harms it.'],
    ['Are there spare parts for the {it}?', 'Yes, for {n} years after it was last sold.'],
    ['Is the {it} on display in the store?', 'Yes, on the upper floor, stand {n}.'],
    ['Where is the {it} made?', 'In our workshop in Oregon.'],
  ],
  es: [
    ['¿Cuánto mide de ancho la {it}?', 'La {it} mide {n} cm de ancho.'],
    ['¿Qué altura tiene la {it}?', 'Tiene {n} cm de alto.'],
    ['¿Cuánto pesa la {it}?', 'La {it} pesa {n} kg con el embalaje.'],
    ['¿De qué está hecha la {it}?', 'De roble macizo aceitado, con piezas de acero.'],
    ['¿En qué colores hay la {it}?', 'Natural, ahumado y negro.'],
    ['¿Cuánto cuesta la {it}?', 'La {it} cuesta {n}9 €.'],
    ['¿Cuánto tarda la entrega de la {it}?', 'La {it} se hace por encargo y llega en {n} días.'],
    ['¿La {it} viene montada?', 'Viene en dos partes; se monta en {n} minutos.'],
    ['¿Cómo se limpia la {it}?', 'Con un paño seco.'],
    ['¿Qué garantía tiene la {it}?', '{n} meses.'],
    ['¿Puedo devolver la {it}?', 'En {n} días, en su caja.'],
    ['¿Cuánto peso aguanta la {it}?', 'Hasta {n} kg.'],
    ['¿La {it} sirve para el exterior?', 'No, la humedad la daña.'],
    ['¿Hay repuestos de la {it}?', 'Sí, durante {n} años.'],
    ['¿Está la {it} en la tienda?', 'Sí, en la planta alta, puesto {n}.'],
    ['¿Dónde se fabrica la {it}?', 'En nuestro taller de Valencia.'],
  ],
  de: [
    ['Wie breit ist der {it}?', 'Der {it} ist {n} cm breit.'],
    ['Wie hoch ist der {it}?', 'Er ist {n} cm hoch.'],
    ['Wie schwer ist der {it}?', 'Der {it} wiegt {n} kg mit Verpackung.'],
    ['Woraus ist der {it} gemacht?', 'Aus geölter massiver Eiche, mit Teilen aus Stahl.'],
    ['In welchen Farben gibt es den {it}?', 'Natur, geräuchert und schwarz.'],
    ['Was kostet der {it}?', 'Der {it} kostet {n}9 €.'],
    ['Wie lange dauert die Lieferung des {it}?', 'Der {it} wird auf Bestellung gemacht und kommt in {n} Tagen.'],
    ['Kommt der {it} fertig montiert?', 'Er kommt in zwei Teilen; der Aufbau dauert {n} Minuten.'],
    ['Wie reinige ich den {it}?', 'Mit einem trockenen Tuch.'],
    ['Welche Garantie hat der {it}?', '{n} Monate.'],
    ['Kann ich den {it} zurückgeben?', 'Innerhalb von {n} Tagen, im Karton.'],
    ['Wie viel trägt der {it}?', 'Bis zu {n} kg.'],
    ['Kann der {it} draußen stehen?', 'Nein, Feuchtigkeit schadet ihm.'],
    ['Gibt es Ersatzteile für den {it}?', 'Ja, {n} Jahre lang.'],
    ['Steht der {it} im Laden?', 'Ja, im Obergeschoss, Platz {n}.'],
    ['Wo wird der {it} hergestellt?', 'In unserer Werkstatt in Bremen.'],
  ],
}
