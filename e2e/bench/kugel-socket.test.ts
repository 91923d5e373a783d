import { afterEach, expect, it } from 'vitest';
import { audioFrame, type ScriptedServer, startScriptedServer, tone } from '../support/scripted-server.ts';
import { openSpeaker, speakTurn } from './kugel-socket.ts';

const SAMPLES = 4801;

let server: ScriptedServer;
afterEach(() => server.close());

it.each([
  ['resolves with a turn whose samples are all there', SAMPLES],
  ['rejects a turn without its last millisecond', SAMPLES - 24],
])('%s', async (_, arriving) => {
  server = await startScriptedServer((_, message, say) => {
    if (!message.flush) return;
    say(audioFrame(tone(2400, 24_000), 0, 24_000));
    say(audioFrame(tone(arriving - 2400, 24_000), 1, 24_000));
    say({ session_closed: true, total_audio_seconds: 0.2 });
  });
  const socket = await openSpeaker({ ws: server.base }, 1071);
  const turn = speakTurn(socket, 'Hello.');
  if (arriving === SAMPLES) expect(await turn).toMatchObject({ audioSeconds: 0.2 });
  else await expect(turn).rejects.toThrow('expected all samples, got 23 too few');
  socket.terminate();
});
