/**
 * Patterns that mean an intent wherever they occur in a normalized text (see plainText). Words in brackets are
 * alternatives, and a star is up to three words.
 */

/** Opt-outs. */
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

/** Requests for a person. */
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
  '(can|could|would) (a |an |one |)(human|real person|person|agent|employee|member|colleague|someone|somebody) ' +
    '(of|from|on|in|at) (your|the) (team|staff|company|support|shop|store|office)',
  // Whoever writes of a human to a shop's bot means that they want one.
  '(a|an|any|some|actual|real|live|your|the) (human|humans|human being|human beings)(?! (resources|rights|hair|body|size))',
  'human (please|help|support|answers|contact|now|instead|being)',
  'call from (a|an|one of|someone|somebody|your)',
  '(employee|employees|staff|colleague|colleagues|agent|agents|someone|somebody) (to |should |must |)(call|calls|phone|ring) me',
  '(discuss|clarify|sort|solve) (this|it|that|something|my \\S+) (out |)(with|together with) * ' +
    '(someone|somebody|person|manager|human|agent|staff|colleague)',
  '(who|whom) (can|could|do|may|should) i (talk|speak|turn|write|chat) (to|with)',
  '(let|have|ask) (one of |)(your |a |)(people|colleagues|staff|team|agents|person|employees) (to |)(contact|call|write|help)',
  '(help|support|answer|reply|advice|assistance) from a (real |)(person|human|employee|colleague)',
  '(get|have|want|request|like|need) a (phone |)call(back| back|)(?! (number|center|centre))',
  '(call|ring) me back',
  '(get|have|reach) (someone|somebody|a person|a human|an agent) on the (phone|line)',
  '(escalate|hand) (this|it|me|my case|my ticket) (over |up |)to',
  '(rather|prefer to|want to|like to|need to) (deal|speak|talk|chat|write) (with|to) (a |an |some |)(real |actual |)' +
    '(human|humans|person|people)',
  `(mit|an) * ${peopleDe} * (sprechen|reden|schreiben|chatten|verbinden|verbunden|telefonieren|weiterleiten)`,
  '(mit|an) (einem|einer|einen) (echten |richtigen |)(menschen|mitarbeiter|mitarbeiterin|berater|beraterin|person)',
  '(ist|gibt es) (da |hier |dort |)(jemand|einen menschen|einen mitarbeiter|einen ansprechpartner)',
  '(mit|von|einen|einem|ein|echte|echter|lieber) (mensch|menschen)',
  '(jemand|mitarbeiter|mitarbeiterin|kollege) * (anrufen|zuruckrufen|melden)',
  '(rufen|ruft|ruf) (sie |)(mich|uns) (bitte |)(an|zuruck)',
  '(mit|an) (ihrem|ihren|eurem|euren|dem|den) (chef|leiter|vorgesetzten|filialleiter|team|support)',
  '(verbinden|verbinde|verbindet) (sie |)(mich |)(bitte |)(mit|zu)',
  '(weiterleiten|durchstellen) (an|zu) (einen|eine|jemanden|den)',
  '(mit jemandem|mit jemand|jemanden|jemand) * (sprechen|reden|telefonieren|anrufen)',
  '(will|mochte|brauche|hatte gern|hatte gerne) (bitte |)(einen|eine) (echten |richtigen |echte |)' +
    '(menschen|mitarbeiter|berater|person|agenten)',
  '(echter|echten|echte|richtigen|richtiger|richtige) (mensch|menschen|mitarbeiter|person)',
  '(un|algun|con|ser) humano',
  '(llamarme|llameme|llamenme|me llaman|me puede llamar|me pueden llamar|atenderme|ayudarme) (alguien|una persona|un agente|por telefono)',
  '(me llame|me atienda|me ayude|atender por|atienda) (alguien|una persona|un agente)',
  'hay (alguien|una persona|un humano) * (hablar|atender|atienda|ayude|ayudar|contestar)',
  `(hablar|chatear|contactar|comunicarme|conversar) (con|a) * ${peopleEs}`,
  `(quiero|necesito|quisiera|prefiero) (a |)(un|una) ${peopleEs}`,
  `(paseme|pasame|pongame|comuniqueme|transfierame|conecteme) con * ${peopleEs}`,
  '(persona|humano|agente) (real|de verdad|por favor)$',
  '(me puede|puede|podria|hay|quiero que me) (atender |atienda |)(alguien|una persona|un humano) * (atender|ayudar|llamar|real)',
  'que me (llame|atienda|llamen|atiendan) (alguien|una persona|un humano|un agente)',
  '(un|vrai|etre) humain',
  '(y a t il|il y a|est ce qu il y a) (quelqu un|une personne|un humain|un conseiller)',
  `(parler|discuter|echanger|parle) (a|avec|au) * ${peopleFr}`,
  '(veux|voudrais|besoin d|souhaite|prefere) (un|une) (vrai |vraie |)' +
    '(humain|conseiller|conseillere|agent|operateur|personne)',
  '(vraie|vrai) (personne|humain|conseiller)',
  '(mettez moi en relation|mettre en relation|me mettre en contact) avec',
  '(me passer|passer|joindre) (un |une |)(conseiller|humain|responsable|quelqu un|vraie personne|operateur)',
  'passez moi * (conseiller|humain|responsable|quelqu un|personne)',
  '(um|com|ser|algum) humano',
  '(tem|ha|existe) (alguem|uma pessoa|um atendente|um humano) * (atender|falar|ajudar|conversar)',
  `(falar|conversar|fala) com * ${peoplePt}`,
  '(quero|preciso|prefiro|gostaria) (de |)(um|uma) (atendente|humano|pessoa|operador)',
  '(me transfira|transfira me|transferir|passar|me passa) (para|pra) (um|uma|o|a) (atendente|humano|pessoa|operador|gerente)',
  '(pessoa|humano|atendente) (real|de verdade|por favor)$',
  '(un|con|essere) umano',
  '(c e|ce|ci sia) (qualcuno|una persona|un operatore) * (parlare|aiutarmi|rispondermi|posso)',
  `(parlare|chattare|parlo) con * ${peopleIt}`,
  '(voglio|vorrei|serve|preferisco) (un|una) (operatore|umano|persona vera|persona reale|addetto)',
  '(mi passi|passami|mi metta in contatto|mettetemi in contatto|trasferitemi) (con |a |)(un |una |)' +
    '(operatore|persona|responsabile|addetto|qualcuno)',
  'passatemi * (operatore|persona|responsabile)',
  '(persona|umano|operatore) (vera|vero|reale|in carne e ossa)',
]
