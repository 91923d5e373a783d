import { seededRandom } from '#lib/statistics/random.ts';
import type { Engine } from '#server/speech/engine.ts';
import { ORDINARY_SPEECH } from '#server/speech/engine.ts';
import type { Language } from '#server/speech/languages.ts';
import { VOICES } from '#server/speech/voices/voices.ts';

/** Rate of the clips, in Hz. */
export const CLIP_RATE = 16_000;

/** A sound as a microphone would hear it, with what it contains. */
export interface LabelledClip {
  name: string;
  kind: string;
  samples: Float32Array;
  /** Sample at which a person begins to speak; null where nobody does. */
  onset: number | null;
  /** Behind the last sample of the speech; null where nobody speaks. */
  end: number | null;
}

type Random = () => number;

/** Quiet before and behind the sound. */
const LEAD_S = 1;
const TAIL_S = 1.2;
const MOST_SHIFT_S = 0.1;
/** The room: no microphone is silent. */
const ROOM_DB = -72;
/** Speech begins where it first comes within this of its peak. */
const ONSET_BELOW_PEAK = 1 / 100;

const samplesIn = (seconds: number): number => Math.round(seconds * CLIP_RATE);
const amplitude = (db: number): number => 10 ** (db / 20);

/** Two uniform numbers make one of the normal distribution. */
const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

const rms = (sound: Float32Array): number =>
  Math.sqrt(sound.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, sound.length));

/** Sets the level of the stretches that sound, so that pauses do not count. */
function atLevel(sound: Float32Array, db: number): Float32Array {
  const stretch = samplesIn(0.02);
  const loudest = sound.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  let squares = 0;
  let count = 0;
  for (let at = 0; at + stretch <= sound.length; at += stretch) {
    const level = rms(sound.subarray(at, at + stretch));
    if (level < loudest / 100) continue;
    squares += level * level;
    count += 1;
  }
  const gain = amplitude(db) / Math.sqrt(squares / Math.max(1, count));
  return sound.map((sample) => Math.max(-1, Math.min(1, sample * gain)));
}

function added(to: Float32Array, sound: Float32Array, at: number): Float32Array {
  for (let i = 0; i < sound.length && at + i < to.length; i += 1) {
    to[at + i] = (to[at + i] ?? 0) + (sound[i] ?? 0);
  }
  return to;
}

const white = (seconds: number, random: Random): Float32Array =>
  Float32Array.from({ length: samplesIn(seconds) }, () => normal(random));

/** Noise that falls by 3 dB an octave, as a sum of slower and slower noises. */
function pink(seconds: number, random: Random): Float32Array {
  const rows = new Float64Array(12);
  let sum = 0;
  return Float32Array.from({ length: samplesIn(seconds) }, (_, at) => {
    for (let row = 0; row < rows.length && at % 2 ** row === 0; row += 1) {
      sum -= rows[row] ?? 0;
      rows[row] = normal(random);
      sum += rows[row] ?? 0;
    }
    return sum;
  });
}

/** A resonance of two poles. */
function resonated(sound: Float32Array, hz: number, widthHz: number): Float32Array {
  const radius = Math.exp((-Math.PI * widthHz) / CLIP_RATE);
  const first = 2 * radius * Math.cos((2 * Math.PI * hz) / CLIP_RATE);
  const second = -radius * radius;
  let before = 0;
  let beforeThat = 0;
  return sound.map((sample) => {
    const value = (1 - radius) * sample + first * before + second * beforeThat;
    beforeThat = before;
    before = value;
    return value;
  });
}

const shaped = (sound: Float32Array, gainAt: (seconds: number) => number): Float32Array =>
  sound.map((sample, at) => sample * gainAt(at / CLIP_RATE));

const attackAndDecay =
  (attackS: number, decayS: number) =>
  (seconds: number): number =>
    Math.min(1, seconds / attackS) * Math.exp(-Math.max(0, seconds - attackS) / decayS);

/** A burst of air, its decay, and in some coughs a voiced end. */
function cough(random: Random): Float32Array {
  const lengthS = 0.25 + 0.15 * random();
  const air = white(lengthS, random);
  const throat = [550 + 300 * random(), 1500 + 500 * random(), 2600 + 600 * random()];
  const coloured = new Float32Array(air.length);
  for (const hz of throat) added(coloured, resonated(air, hz, 250), 0);
  const burst = shaped(coloured, attackAndDecay(0.006, 0.03));
  const rest = shaped(coloured, (at) => 0.35 * attackAndDecay(0.02, 0.1)(at));
  const sound = added(burst, rest, 0);
  if (random() < 0.5) {
    const pitch = 160 + 120 * random();
    const pulses = Float32Array.from({ length: samplesIn(0.09) }, (_, at) =>
      at % Math.round(CLIP_RATE / pitch) === 0 ? 1 : 0,
    );
    const voiced = resonated(resonated(pulses, throat[0] ?? 600, 120), throat[1] ?? 1500, 200);
    const gain = (0.3 * rms(burst)) / Math.max(1e-9, rms(voiced));
    added(
      sound,
      shaped(voiced, (at) => gain * attackAndDecay(0.02, 0.04)(at)),
      samplesIn(lengthS - 0.1),
    );
  }
  return sound;
}

/** Sounds one after another, each after a pause in seconds. */
function sequence(sounds: readonly (readonly [pauseS: number, sound: Float32Array])[]): Float32Array {
  const length = sounds.reduce((sum, [pauseS, sound]) => sum + samplesIn(pauseS) + sound.length, 0);
  const whole = new Float32Array(length);
  let at = 0;
  for (const [pauseS, sound] of sounds) {
    at += samplesIn(pauseS);
    added(whole, sound, at);
    at += sound.length;
  }
  return whole;
}

const times = (count: number, make: (at: number) => readonly [number, Float32Array]): Float32Array =>
  sequence(Array.from({ length: count }, (_, at) => make(at)));

const clap = (random: Random): Float32Array =>
  shaped(resonated(white(0.12, random), 1400 + 900 * random(), 900), attackAndDecay(0.001, 0.012));

const key = (random: Random): Float32Array =>
  sequence([
    [0, shaped(resonated(white(0.03, random), 3000 + 1500 * random(), 1500), attackAndDecay(0.0005, 0.004))],
    [
      0.04 + 0.04 * random(),
      shaped(
        resonated(white(0.03, random), 2200 + 900 * random(), 1500),
        (at) => 0.5 * attackAndDecay(0.0005, 0.005)(at),
      ),
    ],
  ]);

const knock = (random: Random): Float32Array =>
  shaped(resonated(white(0.2, random), 180 + 80 * random(), 60), attackAndDecay(0.002, 0.03));

/** Partials, each a multiple of the pitch with its share. */
const tone = (seconds: number, hz: number, partials: readonly number[], swing = 0): Float32Array =>
  Float32Array.from({ length: samplesIn(seconds) }, (_, at) => {
    const t = at / CLIP_RATE;
    const phase = 2 * Math.PI * hz * t + swing * Math.sin(2 * Math.PI * 5.5 * t);
    return partials.reduce((sum, share, index) => sum + share * Math.sin(phase * (index + 1)), 0);
  });

const note = (seconds: number, hz: number, swing = 0): Float32Array =>
  shaped(tone(seconds, hz, [1, 0.5, 0.33, 0.2, 0.1], swing), attackAndDecay(0.02, seconds / 2));

const chord = (seconds: number, pitches: readonly number[]): Float32Array => {
  const sound = new Float32Array(samplesIn(seconds));
  for (const hz of pitches) added(sound, note(seconds, hz), 0);
  return sound;
};

const ORDINARY_DB = -22;

interface Said {
  name: string;
  kind: string;
  language: Language;
  text: string;
  /** Index in the catalogue. */
  voice: number;
  levelDb?: number;
  noise?: { colour: 'white' | 'pink' | 'hum'; snrDb: number };
  coughsFirst?: boolean;
}

const LANGUAGES_SAID: readonly (readonly [Language, string])[] = [
  ['en', 'Sorry, may I stop you for a moment? I have another question.'],
  ['de', 'Entschuldigung, darf ich kurz unterbrechen? Ich habe noch eine Frage.'],
  ['fr', 'Pardon, je peux vous interrompre un instant ?'],
  ['es', 'Perdona, ¿puedo hacerte otra pregunta antes de seguir?'],
  ['it', 'Scusa, posso interromperti un attimo?'],
  ['pl', 'Przepraszam, czy mogę na chwilę przerwać?'],
  ['pt', 'Desculpe, tenho outra pergunta sobre isso.'],
  ['nl', 'Wacht even, mag ik daar iets over vragen?'],
  ['hi', 'माफ़ कीजिए, मेरा एक और सवाल है।'],
  ['tr', 'Affedersiniz, bir soru daha sorabilir miyim?'],
];

const SHORT = ['Stop.', 'Wait.', 'No, thanks.', 'Hey!', 'Excuse me?', 'Okay, enough.'];

const QUESTION = 'Hold on, what did you say about the second one?';

const SAID: readonly Said[] = [
  ...LANGUAGES_SAID.map(([language, text], at) => ({
    name: `in ${language}`,
    kind: 'speech, quiet room',
    language,
    text,
    voice: at * 3,
  })),
  ...SHORT.map((text, at) => ({
    name: `“${text}”`,
    kind: 'one or two words',
    language: 'en' as const,
    text,
    voice: at,
  })),
  ...[-16, -28, -34, -40].map((levelDb, at) => ({
    name: `${levelDb} dB`,
    kind: 'speech, other levels',
    language: 'en' as const,
    text: QUESTION,
    voice: at + 1,
    levelDb,
  })),
  ...(['white', 'pink', 'hum'] as const).flatMap((colour, row) =>
    [20, 10, 5, 0].map((snrDb, at) => ({
      name: `${colour}, ${snrDb} dB`,
      kind: 'speech in noise',
      language: 'en' as const,
      text: QUESTION,
      voice: 4 * row + at,
      noise: { colour, snrDb },
    })),
  ),
  ...[0, 1, 2, 3].map((at) => ({
    name: `${at + 1}`,
    kind: 'a cough, then speech',
    language: 'en' as const,
    text: QUESTION,
    voice: at + 5,
    coughsFirst: true,
  })),
];

const hum = (seconds: number, hz: number): Float32Array => tone(seconds, hz, [1, 0.6, 0.4, 0.3, 0.2, 0.15]);

/** Sounds that are no speech, by kind and level in dB of full scale. */
const OTHER: readonly (readonly [kind: string, levelDb: number, make: (random: Random) => Float32Array])[] = [
  ...Array.from({ length: 8 }, (_, at) => ['cough', -26 + at, cough] as const),
  ...[2, 3].map(
    (count) =>
      ['several coughs', -22, (random: Random) => times(count, () => [0.25, cough(random)])] as const,
  ),
  ...[-24, -16, -10].map(
    (db) => ['claps', db, (random: Random) => times(4, () => [0.35, clap(random)])] as const,
  ),
  ...[-40, -30, -24, -18].map(
    (db) =>
      ['keyboard', db, (random: Random) => times(14, () => [0.05 + 0.1 * random(), key(random)])] as const,
  ),
  ...[-30, -20].map(
    (db) => ['knocks', db, (random: Random) => times(3, () => [0.2, knock(random)])] as const,
  ),
  ...[-45, -30, -20].map((db) => ['white noise', db, (random: Random) => white(2, random)] as const),
  ...[-45, -30, -20].map((db) => ['pink noise', db, (random: Random) => pink(2, random)] as const),
  ...[50, 100, 120].map((hz) => ['hum', -28, () => hum(2, hz)] as const),
  ['tones', -24, () => times(5, (at) => [0, note(0.4, 220 * 2 ** (at / 6))])],
  ['tones', -20, () => times(4, (at) => [0.02, note(0.5, 440 * 2 ** (at / 4), 1.5)])],
  [
    'chords',
    -20,
    () =>
      times(4, (at) => [
        0,
        chord(
          0.5,
          [220, 277, 330].map((hz) => hz * 2 ** (at / 12)),
        ),
      ]),
  ],
  ['beeps', -18, () => times(4, () => [0.25, tone(0.2, 1000, [1])])],
  ['silence', ROOM_DB, (random: Random) => white(2, random)],
  ['silence', -60, (random: Random) => pink(2, random)],
];

/** Rest of a voice at −20 dB behind the canceller of a browser. */
const ECHO = 'echo of the voice';
const ECHO_DB = [-58, -55, -52];
const ECHO_TEXT = 'Hello, and welcome. You are hearing speech while it is still being made.';

async function spoken(engine: Engine, { language, text, voice }: Pick<Said, 'language' | 'text' | 'voice'>) {
  const chosen = VOICES[voice % VOICES.length] ?? VOICES[0];
  const request = {
    ...ORDINARY_SPEECH,
    sampleRate: CLIP_RATE,
    text,
    voice: chosen,
    language,
    session: 'clips',
  } as const;
  const blocks: number[] = [];
  for await (const { samples } of engine.synthesize(request, new AbortController().signal)) {
    for (const sample of samples) blocks.push(sample / 32_768);
  }
  const sound = Float32Array.from(blocks);
  const least = sound.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0) * ONSET_BELOW_PEAK;
  const isLoud = (sample: number) => Math.abs(sample) >= least;
  return sound.subarray(Math.max(0, sound.findIndex(isLoud)), sound.findLastIndex(isLoud) + 1);
}

/** Lays a sound into the quiet of a room, at a place that falls anywhere in a frame of the detector. */
function inRoom(sound: Float32Array, random: Random): { samples: Float32Array; at: number } {
  const at = samplesIn(LEAD_S + MOST_SHIFT_S * random());
  const room = atLevel(pink((at + sound.length) / CLIP_RATE + TAIL_S, random), ROOM_DB);
  return { samples: added(room, sound, at), at };
}

const NOISES = {
  white,
  pink,
  hum: (seconds: number) => hum(seconds, 100),
} as const;

/** Makes the labelled set, or those of its clips that are meant. Equal seeds give equal clips. */
export async function labelledClips(
  engine: Engine,
  seed: number,
  isMeant: (kind: string, name: string) => boolean = () => true,
): Promise<LabelledClip[]> {
  const clips: LabelledClip[] = [];
  let own = seed;
  const nextRandom = (): Random => {
    own += 1;
    return seededRandom(own);
  };
  for (const said of SAID) {
    const random = nextRandom();
    const { name, kind, levelDb = ORDINARY_DB, noise, coughsFirst } = said;
    if (!isMeant(kind, name)) continue;
    const speech = atLevel(await spoken(engine, said), levelDb);
    const before = coughsFirst
      ? sequence([
          [0, atLevel(cough(random), levelDb)],
          [0.9, new Float32Array(0)],
        ])
      : new Float32Array(0);
    const { samples, at } = inRoom(
      sequence([
        [0, before],
        [0, speech],
      ]),
      random,
    );
    if (noise) {
      const { colour, snrDb } = noise;
      added(samples, atLevel(NOISES[colour](samples.length / CLIP_RATE, random), levelDb - snrDb), 0);
    }
    const onset = at + before.length;
    clips.push({ name, kind, samples, onset, end: onset + speech.length });
  }
  for (const [kind, levelDb, make] of OTHER) {
    const random = nextRandom();
    const name = `${levelDb} dB`;
    if (!isMeant(kind, name)) continue;
    const { samples } = inRoom(atLevel(make(random), levelDb), random);
    clips.push({ name, kind, samples, onset: null, end: null });
  }
  for (const [at, levelDb] of ECHO_DB.entries()) {
    const random = nextRandom();
    if (!isMeant(ECHO, `${levelDb} dB`)) continue;
    const echo = await spoken(engine, { language: 'en', text: ECHO_TEXT, voice: at });
    // A loudspeaker in a room: what is left is dull.
    const dull = resonated(echo, 400 + 100 * at, 600);
    const { samples } = inRoom(atLevel(dull, levelDb), random);
    clips.push({ name: `${levelDb} dB`, kind: ECHO, samples, onset: null, end: null });
  }
  return clips;
}
