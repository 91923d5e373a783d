import { SERVED_PATH } from '#record/served-messages.ts';
import { openServedFile } from '../files/import-file.ts';
import { listServed } from './serving.ts';

/** Opens the recordings of `?recording=`, which the page's server serves, and shows the first one. */
export async function openServed(search: string): Promise<void> {
  const ids = new URLSearchParams(search).get('recording')?.split(',') ?? [];
  for (const id of ids.reverse()) {
    let file = new Blob();
    const recording = await openServedFile(id, async (signal) => {
      const answer = await fetch(`${SERVED_PATH}/${encodeURIComponent(id)}`, { signal });
      if (!answer.ok) throw new Error((await answer.text()).trim());
      file = await answer.blob();
      return file;
    });
    if (recording === null) continue;
    const [head = ''] = (await file.slice(0, HEAD_BYTES).text()).split('\n');
    listServed(id, { ...JSON.parse(head).info, id: recording }, []);
  }
}

/** More than the first line of a recording has. */
const HEAD_BYTES = 64 * 1024;
