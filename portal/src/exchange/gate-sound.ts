import { useEffect, useRef, useState } from 'react';
import { useServerNow } from '../session/server-clock.ts';
import { type Signal, signalBetween } from './board-cells.ts';

/** The tones of a signal: frequency in Hz, each for `TONE_S`. A closing gate falls, a coming one rises. */
const TONES: Readonly<Record<Signal['kind'], readonly number[]>> = {
  soon: [660, 880],
  closed: [880, 660, 440],
};
const TONE_S = 0.35;
const VOLUME = 0.3;
/** A tone that begins or ends at once clicks. */
const FADE_S = 0.02;

function play(audio: AudioContext, kind: Signal['kind']): void {
  for (const [at, frequency] of TONES[kind].entries()) {
    const begin = audio.currentTime + at * TONE_S;
    const end = begin + TONE_S;
    const volume = new GainNode(audio, { gain: 0 });
    volume.gain.setValueAtTime(0, begin);
    volume.gain.linearRampToValueAtTime(VOLUME, begin + FADE_S);
    volume.gain.setValueAtTime(VOLUME, end - FADE_S);
    volume.gain.linearRampToValueAtTime(0, end);
    const tone = new OscillatorNode(audio, { frequency });
    tone.connect(volume).connect(audio.destination);
    tone.start(begin);
    tone.stop(end);
  }
}

/**
 * The last signal of these gates, which is shown, and played if the sound is on. Switching it on plays the first signal, so
 * that the volume can be checked.
 */
export function useGateSignals(gates: readonly number[]) {
  const now = useServerNow();
  const before = useRef(now);
  const audio = useRef<AudioContext | null>(null);
  const [isOn, setIsOn] = useState(false);
  const [last, setLast] = useState<Signal | null>(null);
  useEffect(() => {
    const signal = signalBetween(before.current, now, gates);
    before.current = now;
    if (signal === null) return;
    setLast(signal);
    if (audio.current) play(audio.current, signal.kind);
  }, [now, gates]);
  useEffect(() => () => void audio.current?.close(), []);
  const toggle = () => {
    if (audio.current) {
      void audio.current.close();
      audio.current = null;
    } else {
      audio.current = new AudioContext();
      play(audio.current, 'soon');
    }
    setIsOn(audio.current !== null);
  };
  return { last, isOn, toggle };
}
