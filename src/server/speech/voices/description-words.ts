import { largest } from '#lib/collections/arrays.ts';
import type { Language } from '../languages.ts';
import { accentName, type TextureName } from './espeak-voice-files.ts';

/** Traits that a word of a description can express. Absent: the word does not express it. */
export interface Trait {
  readonly sex?: 'male' | 'female';
  /** `adult` is young or middle-aged. */
  readonly age?: 'child' | 'teen' | 'adult' | 'young' | 'middle' | 'old';
  /** The age comes with a noun (`girl`, `grandfather`) and gives way to an adjective; of two nouns the first counts. */
  readonly implied?: true;
  readonly texture?: TextureName;
  /** espeak's names of languages in an accent, one object for each accent. */
  readonly accent?: Partial<Record<Language, string>>;
  /** Scales, 0 is ordinary and 1 is plainly so; several words add up. */
  readonly pitch?: number;
  readonly pace?: number;
  readonly liveliness?: number;
  readonly loudness?: number;
}

type Meanings<Meaning> = readonly (readonly [Meaning, words: string])[];

const byWord = <Meaning>(meanings: Meanings<Meaning>): ReadonlyMap<string, Meaning> =>
  new Map(meanings.flatMap(([meaning, words]) => words.split(', ').map((word) => [word, meaning] as const)));

/**
 * Traits of words, and of phrases of several. Hyphens count as spaces, apostrophes not at all. Look up longer phrases
 * first.
 */
export const TRAITS = byWord<Trait>([
  // Sex, and nouns that say an age with it
  [{ sex: 'female' }, 'female, feminine, womanly, she, her'],
  [{ sex: 'male' }, 'male, masculine, manly, he, his, him'],
  [{ sex: 'female', age: 'adult', implied: true }, 'woman, women, lady, ladies, actress, queen, princess'],
  [{ sex: 'female', age: 'adult', implied: true }, 'mother, mum, mom, aunt, sister, wife, waitress, nun'],
  [{ sex: 'female', age: 'adult', implied: true }, 'businesswoman, girlfriend'],
  [
    { sex: 'male', age: 'adult', implied: true },
    'man, men, gentleman, gentlemen, guy, bloke, dude, king, prince',
  ],
  [
    { sex: 'male', age: 'adult', implied: true },
    'father, dad, uncle, brother, husband, butler, monk, cowboy',
  ],
  [{ sex: 'male', age: 'adult', implied: true }, 'businessman, boyfriend'],
  [{ age: 'child', sex: 'female', implied: true }, 'girl, girly, girlish, schoolgirl, daughter'],
  [{ age: 'child', sex: 'male', implied: true }, 'boy, boyish, schoolboy, son'],
  [{ age: 'child', implied: true }, 'child, childlike, childish, kid, toddler, baby, infant, little one'],
  // Age
  [{ age: 'teen' }, 'teen, teens, teenage, teenaged, teenager, adolescent'],
  [{ age: 'young' }, 'young, youthful, younger, twenties, student, young adult'],
  [{ age: 'young', sex: 'male', implied: true }, 'lad'],
  [{ age: 'adult' }, 'adult, grown, grown up, grownup'],
  [{ age: 'middle' }, 'middle aged, midlife, mature, thirties, forties, fifties'],
  [
    { age: 'old' },
    'old, older, elderly, aged, ancient, senior, sixties, seventies, eighties, nineties, retired',
  ],
  [{ age: 'old', implied: true }, 'grandparent'],
  [
    { age: 'old', sex: 'female', implied: true },
    'grandmother, grandma, granny, grandmotherly, nana, crone, witch, old lady',
  ],
  [
    { age: 'old', sex: 'male', implied: true },
    'grandfather, grandpa, granddad, grandad, grandfatherly, wizard, old timer',
  ],
  // Pitch
  [
    { pitch: -1 },
    'deep, deeper, low, lower, low pitched, deep voiced, bass, bassy, baritone, rumbling, booming',
  ],
  [{ pitch: -1 }, 'resonant, sonorous, giant, big voiced'],
  [{ pitch: 1 }, 'high, higher, high pitched, shrill, squeaky, piping, treble, soprano, falsetto, tiny'],
  [
    { pitch: 0.5, texture: 'bright' },
    'bright, brighter, crisp, sparkling, ringing, sharp, piercing, tinny, nasal',
  ],
  [{ pitch: 0, texture: 'clear' }, 'clear, clean, articulate, pure, distinct, crystal clear'],
  // Pace
  [
    { pace: -1 },
    'slow, slower, slowly, slow paced, unhurried, leisurely, drawling, drawl, lingering, sluggish',
  ],
  [{ pace: -0.5 }, 'measured, deliberate, patient, thoughtful, steady, careful, ponderous, dignified'],
  [
    { pace: 1 },
    'fast, faster, quick, quicker, quickly, rapid, rapidly, hurried, hasty, fast paced, speedy, rushed',
  ],
  [{ pace: 0.5 }, 'brisk, snappy, lively paced, upbeat paced, busy, efficient'],
  // Mood
  [
    { pace: -0.4, liveliness: -0.4 },
    'calm, calming, relaxed, serene, peaceful, composed, tranquil, low energy',
  ],
  [{ pace: -0.4, liveliness: -0.4, texture: 'warm' }, 'soothing, mellow, meditative, meditation, hypnotic'],
  [
    { pace: 0.5, pitch: 0.3, liveliness: 0.8 },
    'energetic, enthusiastic, upbeat, dynamic, vibrant, energy, high energy',
  ],
  [
    { pace: 0.5, pitch: 0.5, liveliness: 1 },
    'excited, exciting, thrilled, ecstatic, hyper, frantic, bubbly, perky',
  ],
  [{ pitch: 0.3, liveliness: 0.7 }, 'cheerful, happy, joyful, playful, cheery, jolly, amused, smiling, fun'],
  [
    { liveliness: 0.6 },
    'lively, expressive, animated, dramatic, theatrical, passionate, emotional, storyteller',
  ],
  [
    { pitch: -0.3, pace: -0.5, liveliness: -0.6 },
    'sad, melancholic, melancholy, gloomy, tired, sleepy, bored, weary',
  ],
  [{ pace: 0.3, liveliness: 0.6, loudness: 0.6 }, 'angry, furious, aggressive, fierce, stern, commanding'],
  [{ pace: 0.3, pitch: 0.3, liveliness: 0.4 }, 'nervous, anxious, worried, scared, frightened, urgent'],
  [
    { pitch: -0.2, pace: -0.2, liveliness: -0.3 },
    'serious, formal, solemn, grave, stoic, sober, authoritative',
  ],
  [{ liveliness: -1 }, 'monotone, monotonous, flat, deadpan, emotionless, unemotional, dull, expressionless'],
  [
    { texture: 'warm', liveliness: 0.2 },
    'warm, warmer, friendly, kind, caring, cozy, cosy, rich, velvety, smooth',
  ],
  [
    { texture: 'warm', pace: -0.2 },
    'narrator, audiobook, comforting, reassuring, motherly, fatherly, warmth',
  ],
  [
    { pace: 0.2, liveliness: -0.1, texture: 'clear' },
    'newsreader, newscaster, news anchor, announcer, professional',
  ],
  // Timbre
  [
    { texture: 'breathy', loudness: -0.3 },
    'breathy, airy, soft, softly, soft spoken, gentle, gently, tender, sultry',
  ],
  [
    { texture: 'raspy' },
    'raspy, rasping, rough, hoarse, gravelly, gravel, gruff, husky, croaky, scratchy, smoky, gritty',
  ],
  [{ texture: 'raspy', pitch: -1 }, 'growling, growly, monster, demon, demonic, ogre, troll'],
  [{ texture: 'raspy', sex: 'male' }, 'pirate'],
  [
    { texture: 'whisper', pace: -0.2 },
    'whisper, whispers, whispered, whispering, whispery, ghost, ghostly, hushed, asmr',
  ],
  [
    { texture: 'robot', liveliness: -1 },
    'robot, robotic, mechanical, android, cyborg, synthetic, metallic, machine',
  ],
  [{ loudness: 1 }, 'loud, loudly, shouting, powerful, strong, forceful'],
  [{ loudness: -1 }, 'quiet, quietly, faint, shy, timid, muted'],
  // Accent
  [{ accent: { en: 'en-us' } }, 'american, us accent, californian, midwestern, texan, canadian'],
  [{ accent: { en: 'en-us-nyc' } }, 'new york, new yorker, brooklyn'],
  [{ accent: { en: 'en' } }, 'british, english accent, england, uk accent, londoner, london'],
  [{ accent: { en: 'en-gb-x-rp' } }, 'posh, received pronunciation, rp, oxford, aristocratic'],
  [{ accent: { en: 'en-gb-scotland' } }, 'scottish, scots, scotland, glaswegian'],
  [{ accent: { en: 'en-gb-x-gbclan' } }, 'northern english, lancashire, lancaster, mancunian, yorkshire'],
  [{ accent: { en: 'en-gb-x-gbcwmd' } }, 'west midlands, brummie, birmingham'],
  [{ accent: { en: 'en-029' } }, 'caribbean, jamaican, west indian, trinidadian'],
  [{ accent: { en: accentName('indian') } }, 'indian, hindi'],
  [{ accent: { en: accentName('german') } }, 'german, austrian'],
  [{ accent: { en: accentName('french') } }, 'french, parisian'],
  [{ accent: { en: accentName('french'), fr: 'fr-be' } }, 'belgian'],
  [{ accent: { en: accentName('german'), fr: 'fr-ch' } }, 'swiss'],
  [{ accent: { en: accentName('italian') } }, 'italian'],
  [{ accent: { en: accentName('spanish') } }, 'spanish, castilian'],
  [
    { accent: { en: accentName('spanish'), es: 'es-419' } },
    'latin american, latin, latino, latina, mexican, argentinian, colombian, hispanic',
  ],
  [{ accent: { pt: 'pt-br' } }, 'brazilian, brasilian'],
  [{ accent: { pt: 'pt' } }, 'portuguese'],
  [{ accent: { en: accentName('russian') } }, 'russian, slavic'],
  [{ accent: { en: accentName('japanese') } }, 'japanese'],
]);

/** The most words that a phrase of `TRAITS` has. */
export const LONGEST_PHRASE = largest([...TRAITS.keys()].map((phrase) => phrase.split(' ').length));

/** Effect of a word on the next trait. */
export interface Modifier {
  readonly isNegated: boolean;
  /** Factor of the trait's scales. */
  readonly degree: number;
}

/** Modifiers, and words without effect between a modifier and its trait. */
export const MODIFIERS = byWord<Partial<Modifier>>([
  [
    { isNegated: true },
    'not, no, never, without, nor, neither, isnt, arent, doesnt, dont, hardly, avoid, non, un, less',
  ],
  [{ degree: 1.5 }, 'very, extremely, really, super, ultra, incredibly, exceptionally, highly, quite, most'],
  [
    { degree: 0.5 },
    'slightly, somewhat, bit, little, fairly, rather, mildly, moderately, subtly, touch, hint',
  ],
  [
    {},
    'a, an, the, at, all, any, so, that, sound, sounds, sounding, be, being, or, of, too, much, in, is, like, with',
  ],
]);
