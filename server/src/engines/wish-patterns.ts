/**
 * Ways to ask, as they are compared (see plainText), anywhere in a text. Words in brackets are choices, and a star is up
 * to three words.
 */

/** Wishes not to be written to. */
export const stopPatterns = [
  '(stop|quit) (messaging|texting|writing|contacting|spamming|bothering|emailing|sending) (me|us|these|this|messages)',
  '(stop|quit) sending me',
  '(dont|do not|never) (message|text|contact|write|write to|bother) me',
  '(take|remove|delete) me (off|from) * list',
  'i (dont want|do not want|no longer want) (any more|any|more|your|these|to get|to receive) * messages',
  '(schreiben|schreibt|schreib|kontaktieren|kontaktiert) (sie |)(mir|mich) (nicht mehr|nie wieder)',
  'keine (weiteren |)nachrichten mehr',
  'no me (escriban|escribas|escriba|manden|envien|contacten) mas',
  '(ne|n) (m ecrivez|me contactez|me ecrivez|envoyez) plus',
  'nao me (mande|mandem|envie|enviem|escreva|escrevam) mais',
  'non (scrivetemi|scrivermi|contattatemi|mandatemi) piu',
]

const peopleEn =
  '(human|humans|person|people|agent|agents|representative|rep|operator|someone|somebody|staff|employee|manager|advisor|' +
  'adviser|assistant|support|team|member of staff|customer service|customer care|colleague|supervisor)'
const peopleDe =
  '(mensch|menschen|mitarbeiter|mitarbeiterin|person|berater|beraterin|jemand|jemanden|jemandem|kollegen|' +
  'ansprechpartner|kundenservice|kundendienst|support|team|echten|richtigen)'
const peopleEs =
  '(persona|humano|humana|agente|asesor|asesora|alguien|operador|operadora|encargado|representante|soporte)'
const peopleFr = '(humain|humaine|personne|conseiller|conseillere|agent|operateur|quelqu un|responsable|service client)'
const peoplePt = '(pessoa|humano|humana|atendente|alguem|operador|operadora|representante|gerente|suporte)'
const peopleIt = '(persona|umano|umana|operatore|operatrice|qualcuno|addetto|responsabile|assistenza|consulente)'

/** Wishes for a person. */
export const personPatterns = [
  `(speak|talk|chat|talking|speaking|chatting) (to|with) * ${peopleEn}`,
  `(connect|transfer|forward|pass|put) me (through |over |on |)(to|with) * ${peopleEn}`,
  '(get|give|bring|find) me (to |)(a |an |the |your |some |)(actual |real |live |human |)' +
    '(human|person|agent|representative|rep|operator|manager|supervisor)',
  '(want|need|prefer|like|wanna|gimme|wants) (to (reach|contact|see|have) |)(a|an|some|your) (actual |real |live |)' +
    '(human|agent|representative|operator|rep|person to (talk|speak|help|answer|call|chat)|real person|live person)',
  '(reach|contact|message|ask) (a|an|some|one of your|your) (actual |real |live |)(human|agent|person|rep|representative)',
  '(real|actual|live|living) (person|human|agent|people|operator|representative)',
  '(human|agent|representative|operator|person) (please|now|pls|plz)$',
  '(can|could|will|would|may|please have|have|let) (someone|somebody|a person|an agent|one of you) ' +
    '(please |)(call|ring|phone|contact|talk|speak|get back|take over)',
  '(no|hate|not to|dont want|do not want|sick of|tired of) (to |)(talk to |talking to |chat with |chatting with |write to |)' +
    '(a |this |the |your |stupid |)(bot|bots|robot|robots|chatbot|ai)',
  'is there (a |an |any |)(human|agent|person|someone|somebody|anyone|anybody|representative) ' +
    '(i can|i could|to talk|to speak|available|who can|around|to help me)',
  '(call|ring) me back',
  `(mit|an) * ${peopleDe} * (sprechen|reden|schreiben|chatten|verbinden|verbunden|telefonieren|weiterleiten)`,
  '(mit|an) (einem|einer|einen) (echten |richtigen |)(menschen|mitarbeiter|mitarbeiterin|berater|beraterin|person)',
  '(mit jemandem|mit jemand|jemanden|jemand) * (sprechen|reden|telefonieren|anrufen)',
  '(will|mochte|brauche|hatte gern|hatte gerne) (bitte |)(einen|eine) (echten |richtigen |echte |)' +
    '(menschen|mitarbeiter|berater|person|agenten)',
  '(echter|echten|richtigen|richtiger) (mensch|menschen|mitarbeiter|person)',
  `(hablar|chatear|contactar|comunicarme|conversar) (con|a) * ${peopleEs}`,
  `(quiero|necesito|quisiera|prefiero) (a |)(un|una) ${peopleEs}`,
  `(paseme|pasame|pongame|comuniqueme|transfierame|conecteme) con * ${peopleEs}`,
  '(persona|humano|agente) (real|de verdad|por favor)$',
  `(parler|discuter|echanger|parle) (a|avec|au) * ${peopleFr}`,
  '(veux|voudrais|besoin d|souhaite|prefere) (un|une) (vrai |vraie |)' +
    '(humain|conseiller|conseillere|agent|operateur|personne)',
  '(vraie|vrai) (personne|humain|conseiller)',
  'passez moi * (conseiller|humain|responsable|quelqu un|personne)',
  `(falar|conversar|fala) com * ${peoplePt}`,
  '(quero|preciso|prefiro|gostaria) (de |)(um|uma) (atendente|humano|pessoa|operador)',
  '(pessoa|humano|atendente) (real|de verdade|por favor)$',
  `(parlare|chattare|parlo) con * ${peopleIt}`,
  '(voglio|vorrei|serve|preferisco) (un|una) (operatore|umano|persona vera|persona reale|addetto)',
  'passatemi * (operatore|persona|responsabile)',
  '(persona|umano|operatore) (vera|vero|reale|in carne e ossa)',
]
