import { shown } from '../../core/issue.ts';
import type { LintMoment } from '../../core/rule.ts';
import type { Findings } from '../../lint/findings.ts';
import { undocumentedFields } from '../../lint/message.ts';
import { KEY_PARAMETER, TOKEN } from '../wire/keys.ts';
import { isVersion, type Version } from '../wire/versions.ts';
import type { CartesiaRuleId } from './rules.ts';

const VERSION = 'cartesia_version';
/** Sent by the SDK in a browser, which sets no header (`facts-cartesia` A8). */
const BROWSER = 'cartesia_client';
const PARAMETERS: ReadonlySet<string> = new Set([VERSION, KEY_PARAMETER, TOKEN.name, BROWSER]);

/** Reads the address of a connection and reports its faults. @returns the version; null where a header may have it */
export function judgeAddress(
  address: string,
  at: LintMoment,
  findings: Findings<CartesiaRuleId>,
): Version | null {
  const { report } = findings;
  const query = Object.fromEntries(new URLSearchParams(address.split('?', 2)[1] ?? ''));
  if (/^(?:ws|http):\/\/api\.cartesia\.ai\//.test(address)) {
    report('plain-http', at, 'expected wss, got an address without TLS');
  }
  for (const name of undocumentedFields(query, PARAMETERS)) {
    // The value may be a key.
    report('unknown-parameter', at, 'expected a documented parameter, got another', name);
  }
  if (query[KEY_PARAMETER] !== undefined) {
    report('key-in-query', at, 'expected a token or a header, got a key', KEY_PARAMETER);
  }
  const version = query[VERSION];
  if (isVersion(version)) return version;
  const mayHaveHeader = version === undefined && query[BROWSER] === undefined;
  if (version) report('version-unknown', at, `expected a published date, got ${shown(version)}`, VERSION);
  else if (!mayHaveHeader) report('version-missing', at, 'expected a date, got none', VERSION);
  return null;
}
