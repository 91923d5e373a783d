import type { RecordEntry } from '#recordings/format/record.ts';
import type { FeedMessage } from '#recordings/messages.ts';
import type { NewEntry } from '#recordings/store/keeper.ts';
import type { World } from './world.ts';

/** Records what the world's session does from now on; gives what was recorded so far. */
export function record(world: World): () => RecordEntry[] {
  const posted: FeedMessage[] = [];
  const port = { postMessage: (message: FeedMessage) => posted.push(structuredClone(message)) };
  // Only what a feed uses is there.
  world.do({ type: 'attachRecordings', port: port as unknown as MessagePort });
  return () => {
    // A feed keeps what is new to itself for a moment.
    world.advance(100);
    const entries = posted.flatMap((message): readonly NewEntry[] =>
      message.type === 'entries' ? message.entries : [],
    );
    return entries.map((entry, index) => ({ ...entry, index }));
  };
}
