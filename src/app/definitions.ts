import type { WaitSegment } from '../session/model.ts';

/** What each figure on the page means, in one place. Shown on hover and on focus beside the figure. */
export const DEFINITIONS = {
  handshake: 'From asking for the connection until it was open: name look-up, TCP, TLS and upgrade together.',
  wait: 'Time to first audio as the listener has it: from the first text sent until the first audible sample left the player. Its parts follow one another and add up to it.',
  gaps: 'Time between two audio frames as they arrived. Frames may come faster than they are heard; only long gaps matter.',
  underruns:
    'Times the player had to play silence although the turn was not over, counted where they were heard.',
  buffer: 'Audio that has been received and not yet heard.',
  floor:
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
    'Share of frames of which a packet is lost. WebSocket runs over TCP, which never loses a frame: it is sent again after 200 ms, twice that if it is lost again, and everything behind it waits.',
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
  generation: 'Time the server took to generate the chunk, as it measured it.',
  rtf: 'Real-time factor: generation time divided by audio time. Below 1 the server is faster than the voice.',
  plan: 'The monthly quota that the characters of this session are compared with. They count for every generation; a voice description is free.',
  serverFirstAudio: 'From its start on the chunk to its first audio, as the server measured it.',
  serverAudio: 'Length of the audio, as the server says.',
  estimated:
    'This protocol does not say where words are. Their places are worked out from their lengths, so the highlight may run ahead of the voice or behind it.',
  reconnect:
    'This protocol has no cancel. The connection was left and another one opened; from the press until the next turn could start.',
  wire: 'Bytes of the audio frames for each second of audio, and the mean time to decode one and queue its samples.',
  cost: 'As the server charged it. Not reported where the protocol never says, unknown where it could not tell. Neither is in any sum.',
} as const;

/** Times in the chunk table have one zero. */
export const TIME_ZERO = "Milliseconds since the turn's first text was sent.";

/** The parts of the wait, in order, with their names on the page. */
export const WAIT_PARTS: Readonly<Record<WaitSegment['name'], { title: string; definition: string }>> = {
  server: {
    title: 'Server started',
    definition:
      'From the first text sent until the server said that it generates. Text that waits in its buffer counts here.',
  },
  firstAudioFrame: {
    title: 'First audio frame',
    definition:
      'From the start of generation, or from the first text where the protocol tells no start, until the first audio frame arrived.',
  },
  decode: {
    title: 'Decoded, queued',
    definition: 'From the arrival of the first audio frame until its samples were ready for the player.',
  },
  output: {
    title: 'Sound output opened',
    definition: 'The browser opened the sound output only then, while audio was waiting for it.',
  },
  startFloor: {
    title: 'Start floor reached',
    definition: 'From the first samples queued until enough of them were there to start without running dry.',
  },
  inTurn: {
    title: 'Its turn came',
    definition: 'From being ready until the line before it had been heard: no wait for the listener.',
  },
  firstSample: {
    title: 'First sample',
    definition:
      'From the decision to start until the first sample left the speakers: the output latency is in here.',
  },
  leadingSilence: {
    title: 'First audible sample',
    definition: 'Silence at the beginning of the audio itself. It is waiting all the same.',
  },
};
