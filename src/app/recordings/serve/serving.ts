import { useEffect, useEffectEvent, useState } from 'react';
import { messageOf } from '#lib/message-of.ts';
import { PAGE_ENDPOINTS } from '#protocol/registry.ts';
import type { RecordingInfo } from '#record/record.ts';
import { SERVED_PATH, type ServedRunView, servedRunsSchema, servedSchema } from '#record/served-messages.ts';
import { recordingsLink } from '../../recordings-client/recordings-link.ts';
import { type ServedRecording, useServed } from '../../stores/served-store.ts';
import { useSettings } from '../../stores/settings-store.ts';
import { recordingName } from '../recording-name.ts';
import { withChanged } from './served-view.ts';

type Named = Pick<RecordingInfo, 'id' | 'name' | 'endpoint' | 'startedAtMs'>;

/** Lists a recording that the server has under this id. */
export function listServed(id: string, recording: Named, notes: readonly string[]): void {
  const served: ServedRecording = {
    id,
    title: 'Recording',
    base: null,
    path: `${SERVED_PATH}/${id}`,
    needsKey: false,
    endpoint: PAGE_ENDPOINTS.find((one) => one.id === recording.endpoint)?.id ?? null,
    recording: recording.id,
    name: recordingName(recording),
    notes,
  };
  useServed.setState(({ all }) => ({
    all: [...all.filter((one) => one.recording !== recording.id), served],
  }));
  // After a reload, the stored choice may be this recording, and panels listen to the settings only.
  useSettings.setState({});
}

/** Hands a recording to the server of the page. @throws Error with words for people */
async function serveRecording(recording: Named, signal: AbortSignal): Promise<void> {
  const outcome = await recordingsLink.exchange(
    { kind: 'export', recording: recording.id, format: 'voicewire', part: { context: null } },
    { signal },
  );
  if (outcome.kind === 'failed') throw new Error(outcome.problem);
  if (outcome.kind !== 'exported') return;
  const answer = await fetch(SERVED_PATH, { method: 'POST', body: outcome.files[0]?.blob ?? '', signal });
  if (!answer.ok) throw new Error((await answer.text()).trim());
  const { id, notes } = servedSchema.parse(await answer.json());
  listServed(id, recording, [...outcome.notes, ...notes]);
}

/** Ends the answers of a recording. Its clients keep their connections. */
export function stopServing(served: ServedRecording): void {
  void fetch(`${SERVED_PATH}/${served.id}`, { method: 'DELETE' }).catch(() => {});
  unlistServed(served);
}

/** Lists a recording no more, and chooses the first server of its endpoint in its place. */
export function unlistServed({ id, endpoint }: ServedRecording): void {
  useServed.setState(({ all }) => ({ all: all.filter((one) => one.id !== id) }));
  const { [endpoint ?? '']: chosen, ...servers } = useSettings.getState().servers;
  if (chosen === id) useSettings.setState({ servers });
}

/** Serves a recording unless it is served already. `failure` says why it is not, until `again`. */
export function useServing(recording: Named): {
  served: ServedRecording | undefined;
  failure: string | null;
  setFailure: (words: string) => void;
  again: () => void;
} {
  const served = useServed(({ all }) => all.find((one) => one.recording === recording.id));
  const [failure, setFailure] = useState<string | null>(null);
  const [tries, setTries] = useState(0);
  const serve = useEffectEvent((signal: AbortSignal) => {
    if (served) return;
    serveRecording(recording, signal).catch((error: unknown) => {
      if (!signal.aborted) setFailure(messageOf(error));
    });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each try serves it
  useEffect(() => {
    const abort = new AbortController();
    setFailure(null);
    serve(abort.signal);
    return () => abort.abort();
  }, [tries]);
  return { served, failure, setFailure, again: () => setTries(tries + 1) };
}

/** Follows the connections that took a served recording, newest first. @param gone the server has it no more */
export function useServedRuns(id: string, gone: () => void): readonly ServedRunView[] {
  const [runs, setRuns] = useState<readonly ServedRunView[]>([]);
  const onGone = useEffectEvent(gone);
  useEffect(() => {
    const events = new EventSource(`${SERVED_PATH}/${id}/runs`);
    events.onmessage = ({ data }: MessageEvent<string>) => {
      const changed = servedRunsSchema.parse(JSON.parse(data));
      setRuns((before) => withChanged(before, changed));
    };
    events.onerror = () => {
      // After a lost connection, the browser opens another one by itself.
      if (events.readyState === EventSource.CLOSED) onGone();
    };
    return () => events.close();
  }, [id]);
  return runs;
}
