import type { VendorFailures } from '../core/endpoint.ts';

/** Faults that occur together. */
export interface FaultSet {
  id: string;
  title: string;
  /** One sentence for people. */
  story: string;
  /** The specification at a vendor. */
  spec(failures: Pick<VendorFailures, 'overloaded'>): string;
}

export const FAULT_SETS: readonly FaultSet[] = [
  {
    id: 'train',
    title: 'Train',
    story: 'A slow mobile network with two tunnels.',
    spec: () => 'latency=120,jitter=180,bandwidth=600,stall=2500@5,stall=6000@20',
  },
  {
    id: 'overloaded',
    title: 'Overloaded server',
    story: 'Chunks start late, audio pauses, and the third chunk is refused.',
    spec: ({ overloaded }) => `slow-start=2000,stall=1500@4,error=${overloaded}@3`,
  },
  {
    id: 'deploy',
    title: 'Deploy in mid-sentence',
    story: 'The server restarts once while it speaks.',
    spec: () => 'going-away@6:first',
  },
  {
    id: 'gateway',
    title: 'Broken gateway',
    story: 'Something between client and server repeats, reorders, cuts and drops frames.',
    spec: () =>
      'lose-words,wrong-totals,duplicate@2,reorder@4,odd-byte@7,invalid-json@9,latency-in=40,reset@24',
  },
];
