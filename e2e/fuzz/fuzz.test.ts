import { itHolds } from './fuzz-pass.test-helper.ts';

// The larger pass is `fuzz.long.test.ts`.
itHolds({ server: 150, worker: 600, files: 15 }, 300_000);
