import { SERVED_PATH, servedListSchema } from '#trace/served-messages.ts';
import { openServedFile } from '../files/import-file.ts';
import { listServed } from './serving.ts';

/** Lists the recordings that the page's server serves. Opens those of `?recording=`, and shows the first one. */
export async function openServed(search: string): Promise<void> {
  const answer = await fetch(SERVED_PATH).catch(() => null);
  const all = answer?.ok ? servedListSchema.parse(await answer.json()) : [];
  for (const served of all) listServed(served);
  const ids = new URLSearchParams(search).get('recording')?.split(',') ?? [];
  for (const id of ids.reverse()) {
    const recording = await openServedFile(id, async (signal) => {
      const file = await fetch(`${SERVED_PATH}/${encodeURIComponent(id)}`, { signal });
      if (!file.ok) throw new Error((await file.text()).trim());
      return file.blob();
    });
    const served = all.find((one) => one.id === id);
    if (recording !== null && served) listServed(served, recording);
  }
}
