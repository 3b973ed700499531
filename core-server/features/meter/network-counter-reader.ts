import type { Stopwatch } from '../../common/stopwatch.js';
import type { RgbPicture } from '../../image/picture.js';
import type { Model, RunModel } from '../../inference/models/sessions.js';
import type { SeenCounter } from './counter-reading.js';
import { type Choice, chooseReadings } from './decide/choose-reading.js';
import { decideReading } from './decide/decide-reading.js';
import { angleOf, centerOf, isOn, mirrored, type Quad } from './geometry.js';
import type { KnownMeter } from './known-meter.js';
import { type CounterCandidate, locate } from './locate/locate.js';
import { oneOfEach, otherStarts } from './locate/other-starts.js';
import { refine } from './locate/refine.js';
import { type Hypothesis, judgePlace, type Place } from './read/hypothesis.js';
import { expand, isWheelBefore, readMarks, readStrips } from './read/read-strips.js';
import { wheelQuads, wheelsOf } from './read/wheels.js';
import type { ReaderRules } from './reader-rules.js';

/**
 * - `locate`: image uint8 [1,S,S,3] → quads [N,4,2], scores [N], best first
 * - `refine`: image uint8 [1,H,W,3], quads [K,4,2] → corners [K,4,2] as shares of the quads, upside_down [K], scores [K]
 * - `read`: image uint8 [1,H,W,3], quads [M,4,2] → probs [M,T,21], legible [M]
 * - `mark`: image uint8 [1,H,W,3], quads [W,4,2] → fraction [6], wheel [W], digit [W,10]
 */
type MeterModels = Readonly<Record<'locate' | 'refine' | 'read' | 'mark', Model>>;

type ReadQuads = (quads: readonly Quad[]) => ReturnType<typeof readStrips>;

/** Finds and reads a counter. Belongs to the thread that made it. */
export type CounterReader = ReturnType<typeof createNetworkCounterReader>;

/** The networks halve the picture twice; nothing smaller is readable. */
const minSide = 16;

/**
 * Reads counters by our own networks: locate, refine, read every candidate in each direction that
 * may be right on one crop; unless one is clear, refine from other starts too and read the likeliest on all crops; look at
 * each wheel of the best, decide. The same steps as models/meter/pipeline.py.
 */
export function createNetworkCounterReader(models: MeterModels, rules: ReaderRules) {
  /** A counter that is upright in the picture is read whatever the refiner says, since it is sometimes wrong. */
  const isWorthReading = ({ quad, agrees }: Place): boolean =>
    agrees >= rules.leastAgreement || Math.cos(angleOf(quad)) >= 0;

  /** Reads places on the first crop, each in the directions that may be right. */
  const readOnce = async (refined: readonly Place[], read: ReadQuads): Promise<Hypothesis[]> => {
    const places = refined.filter(isWorthReading);
    const strips = await read(places.map(({ quad }) => expand(quad, rules.crops[0])));
    return places.map((place, index) => judgePlace(place, strips.slice(index, index + 1), rules));
  };

  /** Judges the likeliest readings by further crops too, and reads the first one mirrored. */
  const readAgain = async (likeliest: readonly Choice[], read: ReadQuads) => {
    const [first, ...further] = rules.crops;
    const { length } = rules.crops;
    const strips = await read(
      likeliest.flatMap(({ hypothesis: { quad } }) => [
        ...further.map((crop) => expand(quad, crop)),
        expand(mirrored(quad), first),
      ]),
    );
    return likeliest.map(({ hypothesis }, at) => {
      const more = strips.slice(at * length, (at + 1) * length);
      const { readings } = judgePlace(hypothesis, more.slice(-1), rules);
      return { ...judgePlace(hypothesis, [...hypothesis.strips, ...more.slice(0, -1)], rules), mirrored: readings };
    });
  };

  /** The likeliest readings; only the first if it leads clearly. */
  const worthMoreLooks = (hypotheses: readonly Hypothesis[], known: KnownMeter): Choice[] => {
    const choices = chooseReadings(hypotheses, rules, known);
    const [first, second] = choices;
    const leads = first && (!second || first.weight - second.weight > rules.clearLead);
    return choices.slice(0, leads ? 1 : rules.hypotheses);
  };

  /** Whether the best reading has that probability and its digits have that confidence. */
  const isSure = (choices: readonly Choice[], enough: ReaderRules['seenEnough'], known: KnownMeter): boolean => {
    const [best] = choices;
    if (!best || best.probability < enough.read) return false;
    const hypotheses = choices.map(({ hypothesis }) => hypothesis);
    return (decideReading(hypotheses, rules, known)?.digitsConfidence ?? 0) >= enough.confidence;
  };

  return {
    /** Longer side of its input picture, pixels; smaller pictures are not enlarged. */
    maxSide: rules.maxSide,
    /** Null if there is no readable counter. @param time measures the networks, each under its name */
    async read(picture: RgbPicture, known: KnownMeter, time: Stopwatch['time']): Promise<SeenCounter | null> {
      const timed =
        (name: keyof MeterModels): RunModel =>
        (feeds) =>
          time(name, () => models[name].run(feeds));
      if (Math.min(picture.width, picture.height) < minSide) return null;
      const read: ReadQuads = (quads) => readStrips(timed('read'), picture, quads);
      const firstLook = async (at: readonly CounterCandidate[]): Promise<Hypothesis[]> =>
        readOnce(await refine(timed('refine'), picture, at), read);

      const candidates = await locate(timed('locate'), picture, rules);
      let first = await firstLook(candidates);
      let likeliest = worthMoreLooks(first, known);
      const isEnough = likeliest.length === 1 && isSure(likeliest, rules.seenEnough, known);
      const [candidate] = candidates;
      if (candidate && !isSure(likeliest, rules.otherStarts.unless, known)) {
        first = oneOfEach([...first, ...(await firstLook(otherStarts(candidate, picture, rules)))], rules);
        likeliest = worthMoreLooks(first, known);
      }
      const judged = isEnough ? likeliest.map(({ hypothesis }) => hypothesis) : await readAgain(likeliest, read);
      const decideBy = async (facts: KnownMeter): Promise<SeenCounter | null> => {
        let places: readonly Hypothesis[] = judged;
        let [best] = chooseReadings(places, rules, facts);
        // The marks may put its point where it contradicts what is known: then another place is the best.
        while (best && !best.hypothesis.marks) {
          const { hypothesis, text } = best;
          const centers = wheelsOf(hypothesis, text).map(({ center }) => center);
          const quads = wheelQuads(hypothesis.quad, centers, rules);
          const marks = await readMarks(timed('mark'), picture, quads, rules);
          places = places.map((place) => (place === hypothesis ? { ...place, marks } : place));
          [best] = chooseReadings(places, rules, facts);
        }
        const reading = decideReading(places, rules, facts);
        if (best === undefined || reading === null) return null;
        const [wheel] = reading.wheels;
        const wheelBefore = wheel !== undefined && (await isWheelBefore(timed('mark'), picture, wheel.quad, rules));
        const rivalled = isRivalled(reading.quad, first, rules);
        return { counter: { ...reading, rivalled, wheelBefore }, hypothesis: best.hypothesis };
      };
      // What is known may speak for a reading that is refused: it must not stop one that the photo alone shows.
      const isLed = known.digits !== undefined || known.previous !== undefined;
      return (await decideBy(known)) ?? (isLed ? decideBy({ decimals: known.decimals }) : null);
    },
    async release(): Promise<void> {
      await Promise.all(Object.values(models).map((model) => model.release()));
    },
  };
}

/** A place whose likeliest reading is less likely than this is not another counter. An estimate. */
const minReading = 0.5;

/** Whether a place beside the counter reads as one too. */
export function isRivalled(
  counter: Quad,
  places: readonly Pick<Hypothesis, 'quad' | 'legible' | 'readings'>[],
  { refuse }: ReaderRules,
): boolean {
  return places.some(
    ({ quad, legible, readings }) =>
      legible >= refuse.legible && Math.max(0, ...readings.values()) >= minReading && !isOn(counter, centerOf(quad)),
  );
}
