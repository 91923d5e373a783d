/** SSML and the tags of Cartesia. Those of HTML and Markdown are passed on (`facts-deepgram 4.4`). */
const TAGS =
  /<\/?(?:speak|break|prosody|say-as|phoneme|emphasis|voice|lang|desc|lexicon|emotion|speed|volume|spell)\b[^<>]*>/gi;
/** Tags of ElevenLabs. Ours: the vendor gives no list, and other words in brackets are text. */
const BRACKETS =
  /\[(?:laugh(?:s|ing|ter)?|whispers?|whispering|sighs?|exhales|inhales|gasps|gulps|clears throat|crying|excited|sad|angry|happy|curious|sarcastic|nervous|calm|shouts?|sings?|pause|(?:short|long) pause)\](?!\()/gi;
/** An inline control, and an opening without its end. */
const CONTROL = /\\\{(.*?)\\\}/gs;
const PAUSE = /^pause:\d+ms$/;

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
