import { callWorker } from '#lib/worker-calls.ts';
import captureUrl from '#microphone/capture.worklet.ts?worker&url';
import { CAPTURE_PROCESSOR, type CaptureStart } from '#microphone/capture-messages.ts';
import type { JudgedSound } from '#microphone/detector.ts';
import type { DetectorThread } from '#microphone/detector.worker.ts';
import { MODEL_RATE } from '#microphone/speech-model.ts';
import { paint } from '../../browser/paint.ts';
import type { SessionClient } from '../../session-client/session-client.ts';
import {
  MICROPHONE_OFF,
  type MicrophoneProblem,
  useDetectorSettings,
  useMicrophone,
} from '../../stores/microphone-store.ts';
import { useMode } from '../../stores/mode-store.ts';
import { selectSettings, useSettings } from '../../stores/settings-store.ts';
import { heardNow } from './heard-now.ts';
import {
  detectorProblem,
  MUTED,
  NO_MICROPHONES,
  openingProblem,
  recognitionProblem,
  SUSPENDED,
  UNPLUGGED,
} from './problems.ts';
import { Dictation, recognitionClass } from './recognition.ts';

/** A detector that does not answer is ended all the same. */
const STOPPED_WITHIN_MS = 500;

/** One use of the microphone, from switching it on to switching it off. The sound never passes the page's thread. */
class Listening {
  readonly #client: SessionClient;
  readonly #detector = callWorker<DetectorThread>(
    () => new Worker(new URL('../../../microphone/detector.worker.ts', import.meta.url), { type: 'module' }),
    'Its worker has stopped, or could not be loaded.',
  );
  #stream: MediaStream | null = null;
  #context: AudioContext | null = null;
  /** Kept, because a browser may collect a node without an output. */
  #node: AudioWorkletNode | null = null;
  #dictation: Dictation | null = null;
  readonly #unfollow: readonly (() => void)[];
  #isOver = false;
  /** A person has spoken since the last text, so the next text is not the voice's own echo. */
  #hasSpoken = false;

  readonly #failed = (error: Error): void => this.end(detectorProblem(error.message));

  constructor(client: SessionClient) {
    this.#client = client;
    this.#unfollow = [
      useDetectorSettings.subscribe((settings) => this.#detector.calls.change(settings).catch(this.#failed)),
      // Nothing outside of the studio can be talked over, nor shows that the microphone is on.
      useMode.subscribe(({ mode }) => mode !== 'studio' && this.end(null)),
    ];
  }

  /** Must be called in the handler of a gesture. @throws the browser's error */
  async open(): Promise<void> {
    const stream = await navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 },
    });
    this.#stream = stream;
    if (this.#isOver) return this.#release();
    const context = new AudioContext({ sampleRate: MODEL_RATE, latencyHint: 'interactive' });
    this.#context = context;
    const node = await captureOf(stream, context).catch(async (error: unknown) => {
      // Some browsers connect a device only to a context at the device's own rate.
      if (!(error instanceof DOMException && error.name === 'NotSupportedError')) throw error;
      await context.close();
      this.#context = new AudioContext({ latencyHint: 'interactive' });
      return captureOf(stream, this.#context);
    });
    if (this.#isOver) return this.#release();
    this.#node = node;
    const sound = new MessageChannel();
    const session = new MessageChannel();
    node.port.postMessage({ port: sound.port1 } satisfies CaptureStart, [sound.port1]);
    this.#client.attachMicrophone(session.port1);
    const settings = useDetectorSettings.getState();
    const { sampleRate } = node.context;
    this.#detector.calls
      .listen(
        sound.port2,
        session.port2,
        sampleRate,
        settings,
        () => this.#began(),
        (heard) => this.#heard(heard),
      )
      .catch(this.#failed);
    node.onprocessorerror = () =>
      this.end(detectorProblem('The audio thread of the microphone has stopped.'));
    this.#watch(stream, node.context as AudioContext);
  }

  /** @param problem why it ends; null: the person switched it off */
  end(problem: MicrophoneProblem | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const unfollow of this.#unfollow) unfollow();
    this.write(false);
    this.#release();
    const terminate = (): void => this.#detector.dispose();
    // A paused voice goes on before the worker ends.
    this.#detector.calls.stop().then(terminate, terminate);
    setTimeout(terminate, STOPPED_WITHIN_MS);
    heardNow.current = null;
    if (listening === this) {
      listening = null;
      useMicrophone.setState({ ...MICROPHONE_OFF, problem });
    }
  }

  /** Begins or ends to write what is said. The person must have switched it on. */
  write(isOn: boolean, onSpoken: (text: string) => void = () => {}): void {
    this.#dictation?.dispose();
    this.#dictation = null;
    useMicrophone.setState({ writes: false, isHandsFree: false, interim: '', writingProblem: null });
    const [track] = this.#stream?.getAudioTracks() ?? [];
    const Engine = recognitionClass();
    if (!isOn || !track || !Engine) return;
    this.#dictation = new Dictation(Engine, track, languageNow(), {
      interim: (interim) => useMicrophone.setState({ interim }),
      final: (text) => {
        if (!this.#hasSpoken) return;
        this.#hasSpoken = useMicrophone.getState().isSpeech;
        onSpoken(text);
      },
      failed: (error, isOver) => {
        const writingProblem = recognitionProblem(error);
        if (isOver) this.#dictation = null;
        useMicrophone.setState({ writes: !isOver, interim: '', writingProblem });
      },
    });
    // A conversation with a model goes on without a hand.
    useMicrophone.setState({ writes: true, isHandsFree: useSettings.getState().source === 'live' });
  }

  #watch(stream: MediaStream, context: AudioContext): void {
    const [track] = stream.getAudioTracks();
    const show = (problem: MicrophoneProblem | null) => useMicrophone.setState({ problem });
    if (track) {
      track.onended = () => this.end(UNPLUGGED);
      track.onmute = () => show(MUTED);
      track.onunmute = () => show(null);
      useMicrophone.setState({ device: track.label });
    }
    context.onstatechange = () => show(context.state === 'running' ? null : SUSPENDED);
    if (context.state !== 'running') {
      context.resume().catch((error: unknown) => this.end(openingProblem(error)));
    }
  }

  #began(): void {
    if (!this.#isOver) useMicrophone.setState({ state: 'on' });
  }

  #heard(heard: JudgedSound): void {
    if (this.#isOver) return;
    heardNow.current = heard;
    const { isSpeech } = heard;
    if (isSpeech) this.#hasSpoken = true;
    if (isSpeech !== useMicrophone.getState().isSpeech) useMicrophone.setState({ isSpeech });
    paint.request();
  }

  #release(): void {
    for (const track of this.#stream?.getTracks() ?? []) {
      track.onended = null;
      track.onmute = null;
      track.onunmute = null;
      track.stop();
    }
    if (this.#node) this.#node.onprocessorerror = null;
    this.#node = null;
    if (this.#context && this.#context.state !== 'closed') {
      this.#context.onstatechange = null;
      void this.#context.close();
    }
  }
}

/** Leads the sound of a device to the capture worklet. @throws the browser's error */
async function captureOf(stream: MediaStream, context: AudioContext) {
  await context.audioWorklet.addModule(captureUrl);
  const source = new MediaStreamAudioSourceNode(context, { mediaStream: stream });
  const node = new AudioWorkletNode(context, CAPTURE_PROCESSOR, {
    numberOfInputs: 1,
    numberOfOutputs: 0,
    channelCount: 1,
    channelCountMode: 'explicit',
  });
  source.connect(node);
  return node;
}

const IS_TAG = /^[a-z]{2,3}(?:-|$)/i;

/** Returns the language of the voice, where its settings name one by a tag; otherwise that of the browser. */
function languageNow(): string {
  const { language } = selectSettings(useSettings.getState());
  return typeof language === 'string' && IS_TAG.test(language) ? language : navigator.language;
}

let listening: Listening | null = null;

/** Switches the microphone on. Must be called in the handler of a gesture. */
export async function switchOn(client: SessionClient): Promise<void> {
  if (listening) return;
  if (!navigator.mediaDevices?.getUserMedia) {
    useMicrophone.setState({ ...MICROPHONE_OFF, problem: NO_MICROPHONES });
    return;
  }
  useMicrophone.setState({ ...MICROPHONE_OFF, state: 'starting' });
  const started = new Listening(client);
  listening = started;
  await started.open().catch((error: unknown) => started.end(openingProblem(error)));
}

export const switchOff = (): void => listening?.end(null);

/** Begins or ends to turn what is said into text; see `RECOGNITION_GOES`. */
export const setWriting = (isOn: boolean, onSpoken: (text: string) => void): void =>
  listening?.write(isOn, onSpoken);
