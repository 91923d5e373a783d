import { messageOf } from '#lib/message-of.ts';
import { openSpeaker, speakTurn, type TurnFigures } from '../../bench/kugel-socket.ts';
import { within } from '../../support/within.ts';

/** Some seconds of speech, in words that begin at once. */
const SAID = 'One more turn, please. ';
const PAUSE_MS = 50;
/** Far more than on a busy machine. */
const TURN_WITHIN_MS = 60_000;

/** A client that speaks one turn after the other, at least one, and keeps the times of all. */
export class Neighbour {
  readonly turns: TurnFigures[] = [];
  /** Why it was not served; null while it is. */
  problem: string | null = null;
  readonly #done: Promise<void>;
  #isOver = false;

  /** @param server that serves others at the same time */
  constructor(server: { ws: string }) {
    this.#done = this.#speak(server).catch((error: unknown) => {
      this.problem = messageOf(error);
    });
  }

  /** Resolves once the running turn is over. */
  stop(): Promise<void> {
    this.#isOver = true;
    return this.#done;
  }

  async #speak(server: { ws: string }): Promise<void> {
    const socket = await within(TURN_WITHIN_MS, openSpeaker(server, 1071), 'an open connection');
    do {
      this.turns.push(await within(TURN_WITHIN_MS, speakTurn(socket, SAID), 'the end of a turn'));
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    } while (!this.#isOver);
    socket.close();
  }
}
