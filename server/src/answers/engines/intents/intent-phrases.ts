/**
 * Phrases that mean an intent, normalized (see plainText): without case, accents and punctuation. All languages are
 * matched at once, so that a message in English to a Spanish shop is understood too.
 */

/** These alone, or with politeness around them, are an opt-out. */
export const stopPhrases = listOf(`
  stop, stop it, stop now, stop all, stopall, stop messages, stop messaging, unsubscribe, opt out, unsubscribe me,
  opt me out, optout, remove me, leave me alone, no more messages, do not contact me, stop this,
  unsubscribe me from this, unsubscribe from this, unsubscribe me from this list, stopp, stoppen, abmelden,
  abbestellen, aufhoren, austragen, keine nachrichten mehr, abmeldung, parar, pare, paren, baja, darme de baja,
  dar de baja, cancelar suscripcion, no mas mensajes, quiero darme de baja, alto, dejen de escribirme, arret,
  arreter, arretez, desabonner, me desabonner, desinscription, desabonnement, plus de messages, sair, descadastrar,
  cancelar inscricao, remover, chega de mensagens, basta, cancellami, disiscrivimi, disiscrivermi, fermati,
  basta messaggi
`)

/** These alone, or with politeness around them, end an opt-out. */
export const startPhrases = listOf(`
  start, unstop, start again, restart, resume, subscribe, resubscribe, subscribe me, opt in, optin, opt me in, starten,
  anmelden, wieder anmelden, anmeldung, fortsetzen, alta, darme de alta, dar de alta, suscribir, suscribirme, reanudar,
  empezar, demarrer, reprendre, abonner, m abonner, me reabonner, reabonner, inscrever, me inscrever, retomar, voltar,
  comecar, iscrivimi, iscrivermi, riprendi, riprendere, ricomincia
`)

/** These alone, or with politeness around them, are a request for a person. */
export const personPhrases = listOf(`
  agent, human, a human, person, a person, operator, representative, rep, live chat, live agent, an agent,
  real person, real human, human agent, live person, customer service, customer support, someone real,
  support agent, staff, talk to support, manager, speak to manager, advisor, call me, mensch, mitarbeiter, berater,
  kundenservice, kundendienst, echter mensch, agente, humano, persona, operador, asesor, persona real,
  atencion al cliente, humain, conseiller, operateur, service client, un humain, un conseiller, atendente, pessoa,
  pessoa real, falar com atendente, operatore, umano, un operatore, assistenza clienti, persona vera, una persona
`)

/** A text of nothing but these, in any order, is a greeting. */
export const greetings = listOf(`
  hi, hello, hey, hiya, yo, hallo, helo, hii, heya, howdy, greetings, good morning, morning, good afternoon,
  good evening, good day, evening, how are you, how are you doing, how is it going, hows it going, whats up, sup,
  nice to meet you, anyone there, anybody there, are you there, is anyone there, is anybody there,
  how are you today, hope you are well, hope youre well, gday, guten tag, guten morgen, guten abend, moin, servus,
  gruss gott, gruezi, wie gehts, hallöchen, wie geht es ihnen, wie geht es dir, hola, buenas, buenos dias,
  buenas tardes, buenas noches, que tal, como estas, como esta, bonjour, bonsoir, salut, coucou, ca va,
  comment allez vous, ola, oi, bom dia, boa tarde, boa noite, tudo bem, ciao, buongiorno, buonasera, salve, come va,
  hej, hoi, goedemorgen, goedemiddag, goedenavond, namaste, salam, привет, здравствуите, مرحبا, 你好
`)

/** A text of nothing but these, in any order, is thanks or agreement. */
export const thanks = listOf(`
  thanks, thank you, thank u, thx, thnx, ty, tysm, tyvm, cheers, thanks a lot, many thanks, much appreciated,
  appreciate it, i appreciate it, appreciated, that helps, that helped, very helpful, ok, okay, k, kk, great,
  perfect, cool, awesome, got it, alright, all good, good to know, wonderful, excellent, nice, lovely, brilliant,
  sounds good, understood, bye, goodbye, bye bye, see you, have a nice day, have a good day, have a great day,
  that is all, thats all, super, amazing, danke, dankeschon, danke schon, vielen dank, besten dank, danke sehr,
  alles klar, prima, top, tschuss, auf wiedersehen, gracias, muchas gracias, mil gracias, perfecto, vale, genial,
  adios, merci, merci beaucoup, parfait, d accord, super merci, au revoir, obrigado, obrigada, valeu,
  muito obrigado, muito obrigada, perfeito, tchau, grazie, grazie mille, perfetto, va bene, bedankt, dank je,
  dank u, arrivederci, спасибо, شكرا, 谢谢
`)

/** Words around any of them that do not change the meaning. */
export const politeness = listOf(`
  please, pls, plz, now, there, team, again, sir, madam, all, everyone, guys, folks, bot, so much, very much, a lot,
  a bunch, for your help, for the help, for your time, for the info, oh, for everything, for that, just, you,
  to you, and, immediately, mate, my friend, friend, dear, for the information, for the quick reply, for your reply,
  then, really, very, much, ah, yes, well, bitte, sofort, und, sehr, por favor, ya, y, s il vous plait, svp, stp,
  et, per favore, e, a todos, an alle, a tous, zusammen, fur die hilfe, por la ayuda, pela ajuda, pour votre aide,
  lot
`)

/** Words before the person in a request for one. */
export const asking = listOf(`
  i want, i need, i would like, id like, give me, get me, a, an, the, ich will, ich mochte, ich brauche, ein, eine, einen,
  quiero, necesito, un, una, je veux, je voudrais, une, quero, preciso, um, uma, voglio, vorrei
`)

/** Frequent misspellings of these words. */
export const misspelt = new Map(
  Object.entries({
    talk: 'tlak takl tallk',
    speak: 'spaek speek sepak spek',
    human: 'humna humam humen hooman humann',
    person: 'preson perosn persn peson persson',
    agent: 'agnet agant aegnt',
    someone: 'somone someoen smeone somoene',
    representative: 'representive represenative representitive',
    unsubscribe: 'unsubcribe unsuscribe unsubscrib',
    please: 'plase plese pleas pleease',
    thanks: 'thans thnks tahnks thansk',
    hello: 'hllo hlelo helllo hellow',
  }).flatMap(([word, errors]) => errors.split(' ').map((error): [string, string] => [error, word])),
)

function listOf(phrases: string): string[] {
  return phrases.split(',').map((phrase) => phrase.trim())
}
