import { fold } from '@offprint/search/tokens';
import { languageTag } from '../theme/strings.ts';

/**
 * By language: stop words, then words that are common in questions ("how do I
 * use"). Of languages without spaces: parts of questions. Words that occur as names of things in documentation (may,
 * will, get, set) are left out.
 */
const LISTS: Readonly<Record<string, readonly [words: string, weak: string]>> = {
  ar: [
    'ما ماذا هو هي هل كيف اين متى لماذا من في على الى عن مع او و ان انا لي هذا هذه ذلك يمكن يمكنني التي الذي كل لا',
    'استخدام يعمل اجد احتاج',
  ],
  ca: [
    'el la els les un una uns unes de del dels d l a al als en i o que què com quan on quin quina és són per amb es s puc jo meu meva aquest aquesta',
    'funciona trobo usar utilitzar fer',
  ],
  cs: [
    'a i o u v ve na z ze s se k do od po pro za je jsou jak co kde kdy proč který která to si mohu můžu můj moje',
    'funguje najdu použít',
  ],
  da: [
    'en et den det de af at i på til fra for med og eller er hvordan hvad hvor hvornår hvorfor hvilken jeg kan man min mit mine',
    'bruger finder virker fungerer',
  ],
  de: [
    'der die das den dem des ein eine einen einem einer eines und oder von vom zu zum zur in im an am auf aus bei mit für ist sind wird werden kann können man ich du wir mein meine meinen es sich wie was wo wann warum wer welche welcher welches',
    'finde funktioniert verwende verwenden nutze nutzen brauche',
  ],
  en: [
    'a about am an and any anyone are as at be by can could do does did for from has have here how i if in into is it its me my of on or our should so someone that the their them then there these this those to us was we what when where which who why with would you your',
    'use using used work works find need want way best possible happen happens mean means help explain understand know tell show please problem trouble issue steps instructions guide page describe looking try trying able unable documentation docs',
  ],
  es: [
    'el la los las un una unos unas de del a al en y o u que qué como cómo cuándo cuando dónde donde cuál cual por para con es son se su sus mi mis me yo lo le puedo puede si qué',
    'funciona encuentro usar uso utilizar sirve hacer hago necesito',
  ],
  fi: [
    'ja tai on ovat mikä mitä miten kuinka missä milloin miksi joka se ne voin voinko minä minun',
    'käytän käyttää löydän toimii',
  ],
  fr: [
    'le la les l un une des du de d à au aux en et ou où que qu quoi quel quelle quels quelles qui comment quand pourquoi est sont ce c cette ces pour par sur avec dans je j il on mon ma mes se s son sa ses puis peut',
    'fonctionne trouver utiliser faire sert',
  ],
  he: [
    'של את על עם אל מן מה מהו מהי איך כיצד איפה היכן מתי למה אני אפשר יכול זה זאת הוא היא או',
    'להשתמש עובד למצוא',
  ],
  hi: ['का की के को में से पर और या है हैं क्या कैसे कहाँ कब क्यों मैं मेरा मेरी यह वह एक लिए सकता सकते', 'उपयोग काम'],
  hu: [
    'a az egy és vagy hogy hogyan mi mit mi hol mikor miért melyik van vagyok én is',
    'használom működik találom lehet',
  ],
  id: [
    'yang di ke dari dan atau untuk dengan pada adalah apa itu bagaimana cara mana kapan mengapa saya bisa ini',
    'menggunakan bekerja menemukan',
  ],
  it: [
    'il lo la i gli le l un uno una di del dello della dei degli delle d a al allo alla ai agli alle da dal in nel nella su con per e o che cosa come quando dove quale quali perché è sono si mio mia miei posso può',
    'funziona trovo usare utilizzare serve',
  ],
  ja: [
    'とは何ですか とは何 とはなんですか とは どのように どうすれば どうやって どこにありますか どこで どこに なぜ 何ですか について教えて について の使い方 の方法 する方法 するには できますか ありますか ですか ますか ください',
    '',
  ],
  ko: [
    '무엇인가요 무엇입니까 어떻게 어디에 어디서 언제 있나요 있습니까 하나요 합니까 인가요 방법 대해 알려줘 해주세요',
    '',
  ],
  lv: ['un vai ir ar no uz par kas kā kur kad kāpēc es mans mana var varu tas', 'izmantot darbojas atrast'],
  nl: [
    'de het een en of van voor in op aan met naar uit bij te is zijn wordt kan ik je mijn hoe wat waar wanneer waarom wie welke dat dit die',
    'gebruik gebruiken werkt vind vinden',
  ],
  no: [
    'en et den det de av å i på til fra for med og eller er hvordan hva hvor når hvorfor hvilken jeg kan man min mitt mine',
    'bruker finner virker fungerer',
  ],
  pl: [
    'a i o u w we na z ze do od po za dla jest są jak co gdzie kiedy dlaczego który która czym to się mogę mój moja',
    'działa znajdę użyć używać',
  ],
  pt: [
    'o a os as um uma uns umas de do da dos das em no na nos nas ao aos à e ou que como quando onde qual quais por para com é são se seu sua meu minha eu posso pode',
    'funciona encontro usar utilizar serve fazer faço preciso',
  ],
  ro: [
    'un o și sau de la în pe cu din pentru este sunt ce cum unde când care eu pot meu mea se',
    'funcționează găsesc folosesc folosi',
  ],
  ru: [
    'и или а в во на с со к ко о об от до из за по для у не что чем как где когда почему какой какая какие кто это я мне мой моя мои могу можно ли такое есть',
    'использовать работает найти сделать нужно',
  ],
  sv: [
    'en ett den det de av att i på till från för med och eller är hur vad var när varför vilken jag kan man min mitt mina',
    'använder hittar fungerar',
  ],
  tr: [
    'bir ve veya ya ile için de da mi mı mu mü ne nedir nasıl nerede neden hangi ben benim bu şu',
    'kullanırım kullanılır çalışır bulabilirim',
  ],
  uk: [
    'і й або а в у на з із зі до від о про за по для не що чим як де коли чому який яка які хто це я мені мій моя мої можу можна чи таке є',
    'використовувати працює знайти',
  ],
  uz: [
    'va yoki bu u bilan uchun nima qanday qayerda qachon nega qaysi men mening bir',
    'ishlaydi foydalanish',
  ],
  vi: [
    'là và hoặc của cho với trong ở từ gì thế nào như làm sao đâu khi nào tại tôi có thể một các những',
    'dùng hoạt động tìm',
  ],
  zh: [
    '什么是 是什么 有什么 什么 如何使用 如何 怎么用 怎么样 怎么 怎样 为什么 在哪里可以找到 可以在哪里 在哪里 哪里 能否 是否可以 請問 请问 什麼是 是什麼 什麼 怎麼用 怎麼 怎樣 為什麼 在哪裡',
    '',
  ],
};

const UNSPACED = ['ja', 'ko', 'zh'];
const ALIASES: Readonly<Record<string, string>> = { iw: 'he', nb: 'no', nn: 'no' };

/** The lists of a language for `readStopWords`; of English and the languages without spaces for a site without languages. */
export function stopWordsOf(label: string | null): string[] {
  const [tag = ''] = languageTag((label ?? 'en').toLowerCase())
    .toLowerCase()
    .split('-');
  const code = ALIASES[tag] ?? tag;
  const isUnspaced = UNSPACED.includes(code);
  const [words = '', weak = ''] =
    (isUnspaced ? LISTS.en : Object.hasOwn(LISTS, code) ? LISTS[code] : LISTS.en) ?? [];
  const phrases = (label === null ? UNSPACED : isUnspaced ? [code] : []).flatMap((each) =>
    LISTS[each]![0].split(' '),
  );
  phrases.sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  return [foldAll(words), foldAll(weak), phrases.join(' ')];
}

const foldAll = (words: string): string => [...new Set(words.split(' ').map(fold))].join(' ');
