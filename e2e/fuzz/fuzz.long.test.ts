import { itHolds } from './fuzz-pass.test-helper.ts';

itHolds({ server: 6000, worker: 4500, files: 450 }, 600_000);
