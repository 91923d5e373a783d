import { loadProtocols } from '#protocol/protocols.ts';
import { loadRules } from '#protocol/rules.ts';

// Programs and tests begin as the server does: with the parts of all vendors.
await Promise.all([loadProtocols(), loadRules()]);

export { protocolOf } from '#protocol/protocols.ts';
export { openLinter } from '#protocol/rules.ts';
