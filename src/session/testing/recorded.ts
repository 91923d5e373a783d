import type { NewEntry, RecordEntry } from '#record/record.ts';
import type { FeedMessage } from '#recordings/messages.ts';
import type { World } from './world.ts';

/** Records the world's session from now on. The returned function gives the entries so far. */
export function record(world: World): () => RecordEntry[] {
  const posted: FeedMessage[] = [];
  const port = { postMessage: (message: FeedMessage) => posted.push(structuredClone(message)) };
  // The fake port has only the members that a feed uses.
  world.do({ type: 'attachRecordings', port: port as unknown as MessagePort });
  return () => {
    // A feed posts in batches.
    world.advance(100);
    const entries = posted.flatMap((message): readonly NewEntry[] =>
      message.type === 'entries' ? message.entries : [],
    );
    return entries.map((entry, index) => ({ ...entry, index }));
  };
}
