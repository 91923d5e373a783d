import { mulawCurve, roomResponse } from './listening-responses.ts';

/** What a listener has between the voice and the ear; `plain`: nothing. */
export type ListenAs = 'plain' | 'telephone' | 'loudspeaker' | 'room';

/** Leads a node through what a listener has in between. Returns the last node of that. */
export const heardAs = (from: AudioNode, as: ListenAs): AudioNode =>
  NODES[as](from.context).reduce((before, node) => before.connect(node), from);

const NODES: Record<ListenAs, (context: BaseAudioContext) => AudioNode[]> = {
  plain: () => [],
  // The band of a telephone line, coded by G.711. The codec has harmonics beyond the band, which the line cuts again.
  telephone: (context) => [
    ...slope(context, 'highpass', 300, 4),
    ...slope(context, 'lowpass', 3400, 8),
    new WaveShaperNode(context, { curve: mulawCurve() }),
    ...slope(context, 'lowpass', 3400, 8),
  ],
  // A driver of a few centimetres in a hollow case. Quieter, because full scale would clip in its resonance.
  loudspeaker: (context) => [
    ...slope(context, 'highpass', 500, 4),
    new BiquadFilterNode(context, { type: 'peaking', frequency: 1100, Q: 1.5, gain: 7 }),
    ...slope(context, 'lowpass', 6000, 4),
    new GainNode(context, { gain: 0.5 }),
  ],
  room: (context) => {
    const { sampleRate } = context;
    const ears = [1, 2].map((seed) => roomResponse(sampleRate, seed));
    const buffer = new AudioBuffer({ length: ears[0]?.length ?? 1, numberOfChannels: 2, sampleRate });
    for (const [ear, response] of ears.entries()) buffer.copyToChannel(response, ear);
    return [new ConvolverNode(context, { buffer, disableNormalization: true })];
  },
};

/** A Butterworth filter. Beyond the band of the context there is nothing to cut. */
function slope(
  context: BaseAudioContext,
  type: 'lowpass' | 'highpass',
  frequency: number,
  order: number,
): BiquadFilterNode[] {
  if (2 * frequency >= context.sampleRate) return [];
  return Array.from({ length: order / 2 }, (_, section) => {
    const q = 1 / (2 * Math.sin((Math.PI * (2 * section + 1)) / (2 * order)));
    // Of these two types, the quality is in dB.
    return new BiquadFilterNode(context, { type, frequency, Q: 20 * Math.log10(q) });
  });
}
