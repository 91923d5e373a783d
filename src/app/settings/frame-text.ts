import { addAll } from '#lib/collections/arrays.ts';
import type { Endpoint, Settings } from '#protocol/core/endpoint.ts';
import { protocolOf } from '#protocol/protocols.ts';

const MASK = '••••••';

/** Returns the frames that open a connection, byte for byte except for the key. @param first the first context */
export function openingFrames(
  endpoint: Endpoint,
  settings: Settings,
  first?: { context: string; settings: Settings },
): string[] {
  const dialect = protocolOf(endpoint).open({ settings, key: MASK });
  const frames = dialect.encode({ kind: 'open', settings });
  // A context's opening frame carries the settings.
  if (first) addAll(frames, dialect.encode({ kind: 'openContext', ...first }));
  return frames.filter((frame) => typeof frame === 'string');
}
