/** SSML and the tags of Cartesia. Those of HTML and Markdown are passed on (`facts-deepgram 4.4`). */
const TAGS =
  /<\/?(?:speak|break|prosody|say-as|phoneme|emphasis|voice|lang|desc|lexicon|emotion|speed|volume|spell)\b[^<>]*>/gi;
/** Tags of ElevenLabs. Ours: the vendor gives no list, and other words in brackets are text. */
const BRACKETS =
  /\[(?:laugh(?:s|ing|ter)?|whispers?|whispering|sighs?|exhales|inhales|gasps|gulps|clears throat|crying|excited|sad|angry|happy|curious|sarcastic|nervous|calm|shouts?|sings?|pause|(?:short|long) pause)\](?!\()/gi;
/** An inline control, and an opening without its end. */
const CONTROL = /\\\{(.*?)\\\}/gs;
const PAUSE = /^pause:\d+ms$/;

/** A longer control has no end. Ours. */
const MAX_HELD_CHARS = 2000;

/** Splits text before an inline control, or the sign that may begin one, without its end. */
export function heldControl(text: string): { ready: string; held: string } {
  const found = /\\(?:\{(?:(?!\\\}).)*)?$/s.exec(text);
  const open = found && found[0].length <= MAX_HELD_CHARS ? found.index : text.length;
  return { ready: text.slice(0, open), held: text.slice(open) };
}

/** The text of a Speak that is spoken and billed. Null where an inline control is malformed. */
export function spokenPart(text: string): { text: string; hadMarkup: boolean } | null {
  const controls = [...text.matchAll(CONTROL)].map(([, content = '']) => content.trim());
  const plain = text.replace(CONTROL, '');
  if (plain.includes('\\{') || !controls.every((each) => PAUSE.test(each) || isPronunciation(each)))
    return null;
  const spoken = plain.replace(TAGS, '').replace(BRACKETS, '');
  return { text: spoken, hadMarkup: spoken !== plain };
}

function isPronunciation(content: string): boolean {
  try {
    const { word, pronounce } = JSON.parse(content.startsWith('{') ? content : `{${content}}`);
    return typeof word === 'string' && typeof pronounce === 'string';
  } catch {
    return false;
  }
}
