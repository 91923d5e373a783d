import { decodeBase64 } from '#lib/base64.ts';
import { EXAMPLE_AUDIO } from '../../core/example-audio.ts';
import type { Frame } from '../../core/frame.ts';
import { type SentFluxFrame, type SentSpeakFrame, speechFigures } from './server-frames.ts';

const { frames: FRAMES, frameMs, base64 } = EXAMPLE_AUDIO;

const ID = '00000000-0000-4000-8000-000000000000';
const MODEL = { request_id: ID, model_name: 'example', model_version: '1' };

function audio(): Frame[] {
  const decoded = decodeBase64(base64);
  return 'bytes' in decoded ? Array.from({ length: FRAMES }, () => decoded.bytes) : [];
}

export function speakExample(): Frame[] {
  const metadata: SentSpeakFrame = { type: 'Metadata', ...MODEL, model_uuid: ID };
  const flushed: SentSpeakFrame = { type: 'Flushed', sequence_id: 0 };
  return [JSON.stringify(metadata), ...audio(), JSON.stringify(flushed)];
}

export function fluxExample(text: string): Frame[] {
  const speech_id = 'dg_sp_000000000000';
  const before: SentFluxFrame[] = [
    { type: 'Connected', ...MODEL, model_uuids: [ID] },
    { type: 'SpeechStarted', speech_id },
  ];
  const behind: SentFluxFrame[] = [
    { type: 'Flushed', speech_id },
    { type: 'SpeechMetadata', ...speechFigures(speech_id, FRAMES * frameMs, text.length) },
  ];
  const written = (frames: readonly SentFluxFrame[]) => frames.map((frame) => JSON.stringify(frame));
  return [...written(before), ...audio(), ...written(behind)];
}
