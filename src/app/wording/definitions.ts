import { type MeasureId, measureOf } from '#session/measures/definitions.ts';

const defined = (id: MeasureId): string => measureOf(id).definition;

/** Definitions of the figures on the page, shown on hover and focus. Measures of a turn use their own definition. */
export const DEFINITIONS = {
  handshake:
    'From the request of the connection until it was open: name look-up, TCP, TLS and upgrade together.',
  wait: defined('waitMs'),
  gaps: `${defined('gapMeanMs')} ${defined('gapLongestMs')}`,
  underruns: `${defined('underruns')} Beside it, their silence. ${defined('underrunMs')}`,
  buffer: 'Audio that has been received and not yet heard.',
  lead: 'Least buffer: audio that the client has received, less the time since its first audio frame. A client that waits before it plays has more. Below 0 it had nothing left to play, or began later.',
  prebufferTarget:
    'Audio that the player waits for before it starts, chosen from the gaps between frames seen so far, never less than one frame.',
  transport:
    'How samples get from the session worker to the audio thread: shared memory where the page is cross-origin isolated, messages otherwise.',
  turnTaking:
    'Silence between the last sample of the line before and the first of this one; and by how much it would have been longer, had this line been sent only then.',
  context:
    'One independent stream of the connection: a speaker with a voice, settings and a bill of their own.',
  late: 'Audio frames that came after the turn was cancelled: dropped, and counted nowhere else.',
  replaySpeed:
    'How fast frames come again. Audio is heard at its own rate all the same: at 2× the player has it earlier, at ¼× it may run dry.',
  replayDelay: 'Every frame from the server comes so much later, in the mean of a normal distribution.',
  replayJitter:
    'Standard deviation of the delay. Frames keep their order, as TCP keeps it: one that is late holds up those behind it.',
  replayStalls:
    'Share of frames that lose a packet. TCP sends the packet again after 200 ms, or twice that if it is lost again, and everything behind it waits.',
  replaySeed: 'The same number gives the same delays and stalls, so that a glitch can be heard again.',
  chunk: 'A piece of text that the server synthesises at once, numbered from 0 in each turn.',
  sent: 'When the last text that belongs to the chunk was sent.',
  started: 'When the server said that it began to generate the chunk.',
  firstAudio: "When the chunk's first audio frame arrived.",
  lastAudio: "When the chunk's last audio frame arrived.",
  complete: 'When the server said that the chunk is complete.',
  heardFrom: "When the chunk's first sample left the speakers.",
  heardTo: "When the chunk's last sample left the speakers.",
  audio: 'Length of the audio, on the audio clock.',
  wordTimes:
    'Whence the times of the words are: from the vendor, measured in the sound, or estimated from the lengths of the words.',
  wordsOff:
    'How far the vendor’s word starts are from those of the words that were found in the sound: half of them by less, and the farthest. A text that two voices read differently, such as a number, seems to be off.',
  generation: 'Time the server took to generate the chunk, as it measured it.',
  rtf: defined('rtf'),
  plan: 'The monthly quota, or the price, that the characters of this session are compared with. Every generation counts.',
  serverFirstAudio: 'From its start on the chunk to its first audio, as the server measured it.',
  serverAudio: 'Length of the audio, as the server says.',
  server:
    'The vendor sent the times of the words. Where it is measured too, the table of chunks compares both.',
  estimated:
    'The server did not say where the words are. Their places are worked out from their lengths, so the highlight may run ahead of the voice or behind it. They are measured only where this page comes from a server of Voicewire whose offline voice speaks the text for that.',
  measured:
    'The server did not say where the words are. They were found in the sound, by the server’s offline voice, which speaks the same text. Half of the starts are within 20 ms, nine of ten within 80 ms; a text that is read otherwise is further off.',
  answerHeard:
    'Text of the live model that was heard, to the end of a word, of all that it wrote. The rest was discarded; the history holds only what was heard.',
  reconnect: defined('bargeInReconnectMs'),
  wire: `${defined('wireBytesPerSecond')} Beside it, the mean time to decode a frame and queue its samples.`,
  cost: 'As the server charged it. Not reported where the protocol never says, unknown where it could not say. Neither is in any sum.',
} as const;

export const TIME_ZERO = "Milliseconds since the turn's first text was sent.";
