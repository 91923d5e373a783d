import type { Endpoint, Settings } from '#protocol/core/endpoint.ts';

/** Stands where a key does. */
const MASK = '••••••';

/** The frames that open a connection with these settings, exactly as they leave, but for the key. */
export function openingFrames(endpoint: Endpoint, settings: Settings, first?: FirstSpeaker): string[] {
  const wire = endpoint.openWire(MASK);
  const frames = wire.encode({ kind: 'open', settings });
  // Where contexts are opened one by one, each carries the settings.
  if (first) frames.push(...wire.encode({ kind: 'openContext', ...first }));
  return frames.filter((frame) => typeof frame === 'string');
}

/** Who would open the first context. */
export interface FirstSpeaker {
  context: string;
  settings: Settings;
}

/** Size on the wire, in bytes of UTF-8. */
export const byteLength = (text: string): number => new TextEncoder().encode(text).length;
