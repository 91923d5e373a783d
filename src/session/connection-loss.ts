import type { Closing } from './route.ts';
import type { Problem } from './views.ts';

/** Describes a connection that ended without a request. @param duringTurn a turn was lost with it */
export function describeLoss(
  { code, reason, meaning, wasOpen }: Closing,
  duringTurn: boolean,
  address: string | null,
): Pick<Problem, 'title' | 'detail' | 'remedy'> {
  if (!wasOpen) {
    return {
      title: 'No connection',
      detail:
        `${address ?? 'The server'} did not take the connection. Browsers give no reason: the server may not run, ` +
        'the address may be wrong, or a proxy refused it.',
      // Some vendors refuse keys there, too.
      remedy: `${meaning.remedy} The text is kept.`,
    };
  }
  return {
    title: duringTurn ? 'The connection was lost during the turn' : 'The connection was lost',
    detail: `${meaning.meaning} (code ${code}${reason === '' ? '' : `, ${reason}`})`,
    remedy: duringTurn ? `${meaning.remedy} The text is kept.` : meaning.remedy,
  };
}
