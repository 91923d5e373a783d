/** The used part of the Web Speech API, which the type library does not declare. */
interface RecognitionAlternative {
  readonly transcript: string;
}
interface RecognitionResult {
  readonly isFinal: boolean;
  readonly [alternative: number]: RecognitionAlternative | undefined;
}
export interface RecognitionEvent {
  readonly resultIndex: number;
  readonly results: ArrayLike<RecognitionResult>;
}
export interface Recognition {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  onresult: ((event: RecognitionEvent) => void) | null;
  onerror: ((event: { readonly error: string }) => void) | null;
  onend: (() => void) | null;
  /** Older browsers ignore the track, and record the default device themselves. */
  start(track?: MediaStreamTrack): void;
  abort(): void;
}
type RecognitionClass = new () => Recognition;

/** Returns the browser's speech recognition; null where it has none. */
export function recognitionClass(): RecognitionClass | null {
  const scope = globalThis as unknown as Record<string, RecognitionClass | undefined>;
  return scope.SpeechRecognition ?? scope.webkitSpeechRecognition ?? null;
}

interface Handlers {
  /** Text that is not final yet. */
  interim(text: string): void;
  final(text: string): void;
  /** The browser's name of an error. The recognition has ended where `isOver`. */
  failed(error: string, isOver: boolean): void;
}

/** Errors after which a new start would only fail again. */
const FINAL_ERRORS: ReadonlySet<string> = new Set([
  'not-allowed',
  'service-not-allowed',
  'network',
  'audio-capture',
  'language-not-supported',
]);

/** A recognition that ends at once would otherwise be started without a pause. */
const RESTART_AFTER_MS = 250;

/** Recognises speech until it is stopped. A browser ends a recognition after a silence, so it is started again. */
export class Dictation {
  readonly #recognition: Recognition;
  readonly #track: MediaStreamTrack;
  #isOn = true;

  constructor(Engine: RecognitionClass, track: MediaStreamTrack, language: string, handlers: Handlers) {
    const recognition = new Engine();
    this.#recognition = recognition;
    this.#track = track;
    recognition.lang = language;
    recognition.continuous = true;
    recognition.interimResults = true;
    recognition.onresult = (event) => {
      let interim = '';
      for (let at = event.resultIndex; at < event.results.length; at += 1) {
        const result = event.results[at];
        const text = result?.[0]?.transcript.trim() ?? '';
        if (!result?.isFinal) interim = `${interim} ${text}`.trim();
        else if (text !== '') handlers.final(text);
      }
      handlers.interim(interim);
    };
    recognition.onerror = ({ error }) => {
      if (FINAL_ERRORS.has(error)) this.#isOn = false;
      handlers.failed(error, !this.#isOn);
    };
    recognition.onend = () => {
      if (this.#isOn) setTimeout(() => this.#start(), RESTART_AFTER_MS);
    };
    this.#start();
  }

  dispose(): void {
    this.#isOn = false;
    this.#recognition.onresult = null;
    this.#recognition.onerror = null;
    this.#recognition.abort();
  }

  #start(): void {
    if (this.#isOn) this.#recognition.start(this.#track);
  }
}
