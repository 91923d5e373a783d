import { expect, it } from 'vitest';
import { CROWDS } from './attacks/attacks.ts';
import { runAttacks } from './attacks/attacks-part.ts';
import { itHolds } from './fuzz-pass.test-helper.ts';

itHolds({ server: 6000, worker: 4500, files: 450 }, 600_000);

it('the built server keeps its promises to a good client and to all attackers at once', async () => {
  const limits = { eachMs: 3000, untilMs: Number.POSITIVE_INFINITY };
  const { problems } = await runAttacks({ ...limits, attacks: CROWDS });
  expect(problems).toEqual([]);
}, 600_000);
