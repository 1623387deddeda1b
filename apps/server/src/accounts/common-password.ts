import { AppError } from '../platform/http/error.ts';

/**
 * What most guessed passwords come down to, once digits and signs around and the usual substitutes for letters are taken
 * away. A password must have 12 characters, so the short ones of the known lists cannot occur by themselves: what occurs
 * is one of these, lengthened or said twice.
 */
const CORES = new Set(
  `access account adidas admin administrator alexander alexandra amanda america andrea andrew angel angels anthony apple
  apples arsenal asdf asdfgh asdfghjkl ashley august austin autumn babygirl badminton bailey banana barcelona baseball
  basketball batman beautiful bigdaddy biteme blahblah blessed blink bonjour boomer brandon buddy bubbles bulldog
  butterfly buster butthead california cameron captain casper changeme changeit changethis changemenow charlie charlotte
  cheese chelsea chicago chicken chocolate christian christmas christopher citibank coffee companyname company computer
  cookie corvette cowboys crystal dallas daniel database dearbook december default defaultpassword demo demodemo destiny
  diamond docs documentation dolphin donald dragon dragonball eagles edward elephant elizabeth enter estrella example
  facebook family fantasy february ferrari flower flowers football forever forgot freedom friday friend friends fuckoff
  fuckyou gateway george ginger god golden goodluck google grandma guest guitar hannah happy harley heaven hello
  helloworld hockey homer hotmail house hunter iloveu iloveyou iloveyoubaby internet jackson james january jasmine
  jennifer jessica jesus jesuschrist jordan jordan joseph joshua july june justin killer kitten knight letmein letmeinnow
  letmeinplease liverpool login loginlogin london longpassword love lovely loveme lover loveyou madison maggie manager
  manchester manchesterunited march marina marlboro martin master masterpassword matrix matthew melissa mercedes
  merlin metallica michael michelle mickey midnight minecraft monday monkey monster morgan mother mustang mypassword
  mysecret mysecretpassword naruto nicholas nicole ninja nirvana nothing november oauth october officer oliver orange
  panther paramore passphrase passport passwd passwort password passwordpassword patricia patrick peanut people pepper
  phoenix pikachu playboy please pokemon popcorn porsche power princess private purple qazwsx qazwsxedc qwer qwert qwerty
  qwertyqwerty qwertyui qwertyuiop qwertyuiopasdfghjkl rachel rainbow ranger rebecca redskins richard robert rockstar
  rockyou root rootroot sammy samantha samsung sandwich saturday scooter scorpion secret secretpassword security
  september server service shadow shannon silver simpsons skywalker slayer slipknot snoopy soccer softball spider
  spiderman spring starwars steelers stefan stella stephanie steven strawberry summer sunday sunflower sunshine superman
  superstar supersecret supersecretpassword support swordfish sysadmin system taylor teacher temp temporary temppass
  temppassword tennis test tester testing testpassword testtest thebest theman thisisapassword thisismypassword
  thisisasecret thomas thunder thursday tigger tinkerbell toor toyota trustme trustno tuesday twilight unknown user
  username valentina vanessa victoria victory vincent warcraft warrior website wednesday welcome welcomehome whatever
  william willow windows winner winter wizard work xbox xxxxxx yamaha yankees yellow zaqwsx zxcvbn zxcvbnm`.split(
    /\s+/,
  ),
);

/** Runs along a keyboard, the alphabet or the digits, whatever their start and direction. */
const RUNS = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890123456789',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
];

const SUBSTITUTES: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/**
 * Throws the 400 for a password that is among the first that are guessed (NIST SP 800-63B, section 3.1.1.2): common
 * ones, runs and repetitions, and those made of the address or the name of the product. `param`: the field it is in.
 */
export function requireUncommon(password: string, email: string, param: string): void {
  if (!isCommon(password, email)) return;
  throw new AppError(
    'invalid_request',
    'The password is too common. Choose another one, such as four unrelated words.',
    { param },
  );
}

function isCommon(password: string, email: string): boolean {
  const text = password.normalize('NFKC').toLowerCase();
  const unit = unitOf(text);
  // One or two characters, or a few said again and again.
  if (new Set(text).size <= 3 || isRun(unit)) return true;
  const [local = '', host = ''] = email.toLowerCase().split('@');
  const own = [email, local, `${local}${host}`, host, ...host.split('.'), 'offprint', 'offprintdocs'].map(
    lettersOf,
  );
  return [text, spelled(text)].some((form) => {
    // The letters between what was put around them, and all there are.
    const cores = [unitOf(trimmed(form)), unitOf(lettersOf(form))];
    return cores.some(
      (core) => core === '' || CORES.has(core) || own.includes(core) || (isRun(core) && core.length >= 4),
    );
  });
}

/** The part that the text repeats: `abc` of `abcabcabc`. */
function unitOf(text: string): string {
  const length = (text + text).indexOf(text, 1);
  return length === -1 ? text : text.slice(0, length);
}

function isRun(text: string): boolean {
  const back = [...text].reverse().join('');
  return text.length >= 3 && RUNS.some((run) => run.includes(text) || run.includes(back));
}

function trimmed(text: string): string {
  return text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
}

function lettersOf(text: string): string {
  return text.replace(/[^\p{L}]/gu, '');
}

function spelled(text: string): string {
  return trimmed(text.replace(/[!\d]+$/u, '')).replace(/[013457@$!]/g, (sign) => SUBSTITUTES[sign] ?? sign);
}
