import { createHash } from 'node:crypto';
import { voice } from '@livekit/agents';

/** Plays at once what an agent says. */
export class Ear extends voice.AudioOutput {
  heard = createHash('sha256');
  samples = 0;
  #said = 0;

  async captureFrame(frame) {
    await super.captureFrame(frame);
    if (this.#said === 0) this.onPlaybackStarted(Date.now());
    this.heard.update(Buffer.from(frame.data.buffer, frame.data.byteOffset, frame.data.byteLength));
    this.samples += frame.samplesPerChannel;
    this.#said += frame.samplesPerChannel;
  }

  flush() {
    super.flush();
    this.#finish(false);
  }

  clearBuffer() {
    if (this.#said > 0) this.#finish(true);
  }

  #finish(interrupted) {
    this.onPlaybackFinished({ playbackPosition: this.#said / this.sampleRate, interrupted });
    this.#said = 0;
  }
}
