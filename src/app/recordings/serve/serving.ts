import { useEffect, useEffectEvent, useState } from 'react';
import { PAGE_ENDPOINTS } from '#protocol/registry.ts';
import {
  SERVED_PATH,
  type ServedRecordingView,
  type ServedRunView,
  servedRunsSchema,
  servedSchema,
} from '#trace/served-messages.ts';
import { recordingsLink } from '../../recordings-client/recordings-link.ts';
import { type ServedRecording, useSettings } from '../../stores/settings-store.ts';
import { recordingName } from '../recording-name.ts';

/** Lists a recording of the server. @param recording its id in this browser */
export function listServed({ id, info, notes }: ServedRecordingView, recording = info.id): void {
  const served: ServedRecording = {
    id,
    title: 'Recording',
    base: null,
    path: `${SERVED_PATH}/${id}`,
    needsKey: false,
    endpoint: PAGE_ENDPOINTS.find((one) => one.id === info.endpoint)?.id ?? null,
    recording,
    name: recordingName(info),
    notes,
  };
  useSettings.setState(({ served: all }) => ({
    served: [...all.filter((one) => one.id !== id && one.recording !== recording), served],
  }));
}

/** Hands a recording to the server of the page. @throws Error with words for people */
export async function serveRecording(recording: string, signal: AbortSignal): Promise<void> {
  const outcome = await recordingsLink.exchange(
    { kind: 'export', recording, format: 'voicewire', part: { context: null } },
    { signal },
  );
  if (outcome.kind === 'failed') throw new Error(outcome.problem);
  if (outcome.kind !== 'exported') return;
  const answer = await fetch(SERVED_PATH, { method: 'POST', body: outcome.files[0]?.blob ?? '', signal });
  if (!answer.ok) throw new Error((await answer.text()).trim());
  const served = servedSchema.parse(await answer.json());
  listServed({ ...served, notes: [...outcome.notes, ...served.notes] }, recording);
}

/** Ends the answers of a recording, and chooses the first server of its endpoint in its place. Its clients keep their connections. */
export function stopServing({ id, endpoint }: ServedRecording): void {
  void fetch(`${SERVED_PATH}/${id}`, { method: 'DELETE' }).catch(() => {});
  const { [endpoint ?? '']: chosen, ...servers } = useSettings.getState().servers;
  if (chosen === id) useSettings.setState({ servers });
  unlistServed(id);
}

/** Lists a recording no more. The stored choice stays, because the page may find it again after a reload. */
export function unlistServed(id: string): void {
  useSettings.setState(({ served }) => ({ served: served.filter((one) => one.id !== id) }));
}

/** Follows the connections that took a served recording, newest first. @param gone the server has it no more */
export function useServedRuns(id: string, gone: () => void): readonly ServedRunView[] {
  const [runs, setRuns] = useState<readonly ServedRunView[]>([]);
  const onGone = useEffectEvent(gone);
  useEffect(() => {
    const events = new EventSource(`${SERVED_PATH}/${id}/runs`);
    events.onmessage = ({ data }: MessageEvent<string>) => setRuns(servedRunsSchema.parse(JSON.parse(data)));
    events.onerror = () => {
      // After a lost connection, the browser opens another one by itself.
      if (events.readyState === EventSource.CLOSED) onGone();
    };
    return () => events.close();
  }, [id]);
  return runs;
}
