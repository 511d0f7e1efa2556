/** Reports the progress of a run, and ends it within its time limit. */

/** The time limit of a run is reached. Results so far are kept. */
class TimeIsUp extends Error {
  override name = 'TimeIsUp';
}

type Phase = { readonly title: string; readonly plannedMinutes: number; readonly usedMinutes: number };

export class Progress {
  /** Parts that were skipped for lack of time. */
  readonly leftOut: string[] = [];
  readonly phases: Phase[] = [];
  private readonly startedAt = Date.now();
  private readonly minutes: number;
  private readonly count: number;
  private begun = 0;
  private plannedUntilNow = 0;

  constructor(minutes: number, count: number) {
    this.minutes = minutes;
    this.count = count;
  }

  readonly say = (message: string): void => {
    const seconds = (Date.now() - this.startedAt) / 1000;
    process.stdout.write(`${seconds.toFixed(1).padStart(7)} s  ${message}\n`);
  };

  get secondsLeft(): number {
    return this.minutes * 60 - (Date.now() - this.startedAt) / 1000;
  }

  private get usedMinutes(): number {
    return (Date.now() - this.startedAt) / 60_000;
  }

  /** Whether the current part has time left, including time that earlier parts did not use. */
  readonly isOnPlan = (): boolean => this.usedMinutes < this.plannedUntilNow;

  /** Begins the next part of the run, unless the time is up. */
  async phase(title: string, plannedMinutes: number, work: () => Promise<void>): Promise<void> {
    this.begun++;
    this.plannedUntilNow += plannedMinutes;
    if (this.secondsLeft <= 0) {
      this.leftOut.push(title);
      return;
    }
    const share = Math.round((100 * (this.begun - 1)) / this.count);
    const left = `${(this.secondsLeft / 60).toFixed(1)} of ${this.minutes} min left`;
    const beganAt = this.usedMinutes;
    this.say(`[${this.begun}/${this.count}, ${share} %, ${left}, ${plannedMinutes} planned] ${title}`);
    const { promise: tooLate, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new TimeIsUp()), this.secondsLeft * 1000);
    try {
      await Promise.race([work(), tooLate]);
    } catch (error) {
      if (!(error instanceof TimeIsUp)) throw error;
      this.say(`The time is up: ${title} is left out.`);
      this.leftOut.push(title);
    } finally {
      clearTimeout(timer);
      const usedMinutes = this.usedMinutes - beganAt;
      this.phases.push({ title, plannedMinutes, usedMinutes });
      this.say(`  ${title}: ${usedMinutes.toFixed(1)} min, ${plannedMinutes} planned`);
    }
  }
}
