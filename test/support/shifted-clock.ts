/** Loaded before a program: its clock is wrong by SHIFTED_CLOCK_MS; intervals are as ever. */
const by = Number(process.env.SHIFTED_CLOCK_MS);
const { now } = Date;

class ShiftedDate extends Date {
  constructor(...given: ConstructorParameters<typeof Date>) {
    if ((given as unknown[]).length === 0) super(now() + by);
    else super(...given);
  }
  static override now(): number {
    return now() + by;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
