/** Tells how far a run is, and ends it in time. */

/** The time of a run is up; what it has until then counts. */
class TimeIsUp extends Error {
  override name = 'TimeIsUp';
}

export class Progress {
  /** What there was no time for. */
  readonly leftOut: string[] = [];
  private readonly startedAt = Date.now();
  private readonly minutes: number;
  private readonly phases: number;
  private begun = 0;

  constructor(minutes: number, phases: number) {
    this.minutes = minutes;
    this.phases = phases;
  }

  readonly say = (message: string): void => {
    const seconds = (Date.now() - this.startedAt) / 1000;
    process.stdout.write(`${seconds.toFixed(1).padStart(7)} s  ${message}\n`);
  };

  get secondsLeft(): number {
    return this.minutes * 60 - (Date.now() - this.startedAt) / 1000;
  }

  /** Begins the next part of the run, unless the time is up. */
  async phase(title: string, work: () => Promise<void>): Promise<void> {
    this.begun++;
    if (this.secondsLeft <= 0) {
      this.leftOut.push(title);
      return;
    }
    const share = Math.round((100 * (this.begun - 1)) / this.phases);
    const left = `${(this.secondsLeft / 60).toFixed(1)} of ${this.minutes} min left`;
    this.say(`[${this.begun}/${this.phases}, ${share} %, ${left}] ${title}`);
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
    }
  }
}
