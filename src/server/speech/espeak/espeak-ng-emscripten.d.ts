/** The part of the package's interface that is used here; it ships no types of its own. */
declare module '@echogarden/espeak-ng-emscripten' {
  export interface EspeakEvent {
    /** `word`, `phoneme`, `sentence`, `end`, `samplerate`, `mark` or `play`. */
    readonly type: string;
    /** 1-based position in code points of the synthesised text, markup included. */
    readonly text_position: number;
    /** In code points. */
    readonly word_length: number;
    /** Milliseconds from the start of the utterance. */
    readonly audio_position: number;
    /** The phoneme in IPA for `phoneme`, empty for a pause; a number for `word` and `sentence`. */
    readonly id?: string | number;
  }
  export interface EspeakWorker {
    /**
     * 0 on success, 2 for a voice that does not exist.
     * @param name also the place of its bytes
     */
    set_voice(name: string | number): number;
    set_rate(wordsPerMinute: number): void;
    /** 0 to 99. */
    set_pitch(pitch: number): void;
    /** 0 to 99. */
    set_range(range: number): void;
    /**
     * Synchronous. The callback gets about 100 ms of audio at a time and returns true to abort;
     * an exception thrown in it spoils the next synthesis.
     * @param ssml also the place of its bytes
     */
    synthesize(
      ssml: string | number,
      onAudio: (samples: Int16Array | null, events: readonly EspeakEvent[]) => boolean,
    ): void;
  }
  /** A file whose content is loaded when it is read, unless it has `contents`. */
  export interface LazyFile {
    contents: { readonly length: number };
    readonly stream_ops: {
      /** Returns the number of bytes that it has written into `memory` from `offset` on. */
      read(stream: object, memory: Int8Array, offset: number, length: number, position: number): number;
    };
  }
  export interface EspeakModule {
    readonly eSpeakNGWorker: new () => EspeakWorker;
    /** All memory of espeak. Another array once that has grown. */
    readonly HEAPU8: Uint8Array<ArrayBuffer>;
    _malloc(bytes: number): number;
    /** Adds a file to the file system in memory; the folder exists, the file does not. */
    FS_createDataFile(
      folder: string,
      /** Null where `folder` is the path of the file. */
      name: string | null,
      content: string | Uint8Array,
      readable: boolean,
      writable: boolean,
      owned: boolean,
    ): void;
    FS_createLazyFile(
      folder: string,
      name: string,
      url: string,
      readable: boolean,
      writable: boolean,
    ): LazyFile;
  }
  export default function load(options: object): Promise<EspeakModule>;
}
