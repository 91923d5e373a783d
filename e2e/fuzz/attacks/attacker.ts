import { getPriority, setPriority } from 'node:os';
import { messageOf } from '#lib/message-of.ts';
import type { Target } from './attack-tools.ts';
import { ATTACKS } from './attacks.ts';
import { type HostileHosts, startHostileHosts } from './hostile-hosts.ts';

/** A process of all attackers and hostile hosts, which share no event loop with the good client. */

/** Begins an attack on a server, or ends it. */
export type AttackerOrder = (Pick<Target, 'http' | 'ws'> & { attack: string }) | 'end';
/** At the start, and at the end of each attack with the promise that was broken. */
export type AttackerReport = Pick<HostileHosts, 'environment'> | { problem: string | null };

const report = (words: AttackerReport): void => void process.send?.(words);

// Real attackers have processors of their own. Here the server and the good client come first.
setPriority(Math.min(19, getPriority() + 5));
const { vendor, environment } = await startHostileHosts();
let end = new AbortController();
process.on('message', (order: AttackerOrder) => {
  if (order === 'end') return end.abort();
  end = new AbortController();
  ATTACKS[order.attack]?.({ ...order, vendor }, end.signal).then(
    () => report({ problem: null }),
    (error) => report({ problem: messageOf(error) }),
  );
});
process.once('disconnect', () => process.exit());
report({ environment });
