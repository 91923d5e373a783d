/** SSML and the tags of Cartesia. Those of HTML and Markdown are passed on. */
const TAGS =
  /<\/?(?:speak|break|prosody|say-as|phoneme|emphasis|voice|lang|desc|lexicon|emotion|speed|volume|spell)\b[^<>]*>/gi;
/** Tags of ElevenLabs (deepgram-text-11). */
const BRACKETS =
  /\[(?:laugh(?:s|ing|ter)?|whispers?|whispering|sighs?|exhales|inhales|gasps|gulps|clears throat|crying|excited|sad|angry|happy|curious|sarcastic|nervous|calm|shouts?|sings?|pause|(?:short|long) pause)\](?!\()/gi;
/** Around an inline control. */
const [OPENING, CLOSING] = ['\\{', '\\}'];
const PAUSE = /^pause:\d+ms$/;

/** A longer control has no end (deepgram-text-10). */
const MAX_HELD_CHARS = 2000;

/** Splits text before an inline control, or the sign that may begin one, without its end. */
export function heldControl(text: string): { ready: string; held: string } {
  const opening = text.indexOf(OPENING, Math.max(0, text.lastIndexOf(CLOSING)));
  const begun = opening === -1 && text.endsWith('\\') ? text.length - 1 : opening;
  const open = begun !== -1 && text.length - begun <= MAX_HELD_CHARS ? begun : text.length;
  return { ready: text.slice(0, open), held: text.slice(open) };
}

/** The text of a Speak that is spoken and billed. Null where an inline control is malformed. */
export function spokenPart(text: string): { text: string; hadMarkup: boolean } | null {
  const { plain, controls } = withoutControls(text);
  if (plain.includes(OPENING) || !controls.every((each) => PAUSE.test(each) || isPronunciation(each)))
    return null;
  const spoken = plain.replace(TAGS, '').replace(BRACKETS, '');
  return { text: spoken, hadMarkup: spoken !== plain };
}

/** Takes the inline controls out of a text. An opening without an end stays. */
function withoutControls(text: string): { plain: string; controls: string[] } {
  const parts: string[] = [];
  const controls: string[] = [];
  let from = 0;
  for (let opening = text.indexOf(OPENING); opening !== -1; opening = text.indexOf(OPENING, from)) {
    const inside = opening + OPENING.length;
    const closing = text.indexOf(CLOSING, inside);
    if (closing === -1) break;
    parts.push(text.slice(from, opening));
    controls.push(text.slice(inside, closing).trim());
    from = closing + CLOSING.length;
  }
  return { plain: parts.join('') + text.slice(from), controls };
}

function isPronunciation(content: string): boolean {
  try {
    const { word, pronounce } = JSON.parse(content.startsWith('{') ? content : `{${content}}`);
    return typeof word === 'string' && typeof pronounce === 'string';
  } catch {
    return false;
  }
}
