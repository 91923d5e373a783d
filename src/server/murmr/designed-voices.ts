import { createHash } from 'node:crypto';
import { bytesFromSamples } from '#lib/pcm.ts';
import type { Peer } from '../state/shares.ts';
import type { Notes } from '../state/state.ts';

/** Characters of a digest that name an unknown recording. */
const NAME_CHARS = 12;

/** The audio of a design while it is generated. */
export interface Listener {
  hear(samples: Int16Array): void;
  /** Remembers the audio. */
  end(description: string): void;
}

/** Descriptions of the voices in recordings that the local server has made, because the local engine cannot clone. */
export class DesignedVoices {
  /** Descriptions by SHA-256 of the PCM. */
  readonly #notes: Notes;

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  /** @param peer who asked for the recording */
  listen(peer: Peer): Listener {
    const hash = createHash('sha256');
    const notes = this.#notes;
    return {
      hear: (samples) => void hash.update(bytesFromSamples(samples)),
      end(description) {
        // The audio is already spoken. A lost note costs no more than a voice that sounds different when it is saved.
        notes.keep(hash.digest('hex'), description, peer).catch(() => {});
      },
    };
  }

  /** The description that spoke this 16-bit PCM; undefined for unknown audio. */
  find(pcm: Uint8Array): Promise<string | undefined> {
    return this.#notes.find(digestOf(pcm));
  }
}

/** A description for unknown audio: the same audio gives the same voice, other audio probably another. */
export const describeUnknown = (pcm: Uint8Array): string =>
  `recording x${digestOf(pcm).slice(0, NAME_CHARS)}`;

const digestOf = (pcm: Uint8Array): string => createHash('sha256').update(pcm).digest('hex');
