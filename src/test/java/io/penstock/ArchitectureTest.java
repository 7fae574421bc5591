package io.penstock;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/** Who may know whom. The classes of {@code src/main} alone; the local servers are tests unless the profile {@code local} is on. */
@AnalyzeClasses(
        packages = "io.penstock",
        importOptions = {ImportOption.DoNotIncludeTests.class, ArchitectureTest.WithoutLocalServers.class})
class ArchitectureTest {

    private static final String PENSTOCK = "io.penstock..";
    private static final String STOCK = "io.penstock.stock..";
    private static final String PLATFORM = "io.penstock.platform..";
    private static final String GATE = "io.penstock.gate..";
    private static final String LEDGER = "io.penstock.ledger..";
    private static final String LOCAL = "io.penstock.local..";

    /** In the profile {@code local} they are compiled beside the service. */
    static final class WithoutLocalServers implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("/io/penstock/local/");
        }
    }

    @ArchTest
    static final ArchRule stockKnowsNoOtherPackage = noClasses()
            .that()
            .resideInAPackage(STOCK)
            .should()
            .dependOnClassesThat(resideInAPackage(PENSTOCK).and(not(resideInAPackage(STOCK))))
            .because("its values are the words of every other package");

    @ArchTest
    static final ArchRule platformKnowsNoDomain = noClasses()
            .that()
            .resideInAPackage(PLATFORM)
            .should()
            .dependOnClassesThat(resideInAPackage(PENSTOCK).and(not(resideInAPackage(PLATFORM))))
            .because("what has no domain must serve each of them alike");

    @ArchTest
    static final ArchRule gateDoesNotKnowTheLedger = noClasses()
            .that()
            .resideInAPackage(GATE)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(LEDGER)
            .because("which of the two goes first is decided by whoever uses both");

    @ArchTest
    static final ArchRule ledgerDoesNotKnowTheGate = noClasses()
            .that()
            .resideInAPackage(LEDGER)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(GATE)
            .because("which of the two goes first is decided by whoever uses both");

    @ArchTest
    static final ArchRule packagesFormNoCycle = slices().matching("io.penstock.(*)..")
            .should()
            .beFreeOfCycles()
            .because("a package that can be understood after those below it can be understood at all");

    @ArchTest
    static final ArchRule onlyTheGateSpeaksRedis = noClasses()
            .that()
            .resideOutsideOfPackage(GATE)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.vertx.redis..", "io.vertx.mutiny.redis..", "io.quarkus.redis..")
            .because("the invariants of a bucket are kept by the gate's scripts alone");

    @ArchTest
    static final ArchRule onlyTheLedgerSpeaksSql = noClasses()
            .that()
            .resideOutsideOfPackage(LEDGER)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.vertx.sqlclient..",
                    "io.vertx.mysqlclient..",
                    "io.vertx.mutiny.sqlclient..",
                    "io.vertx.mutiny.mysqlclient..",
                    "io.agroal..",
                    "java.sql..",
                    "javax.sql..")
            .because("rows are locked in one order only if one package writes all statements");

    @ArchTest
    static final ArchRule packagesSayWhatTheyAreAbout = noClasses()
            .should()
            .resideInAnyPackage(
                    "..util..",
                    "..utils..",
                    "..common..",
                    "..impl..",
                    "..dto..",
                    "..helper..",
                    "..manager..",
                    "..service..")
            .because("such a package holds what nobody found a name for");

    @ArchTest
    static final ArchRule classesSayWhatTheyAre = noClasses()
            .should()
            .haveNameMatching(".*(Utils?|Common|Impl|D[Tt][Oo]|Helper|Manager|Service)")
            .because("such a name says nothing that the package does not");

    @ArchTest
    static final ArchRule nobodySleeps = noClasses()
            .should()
            .callMethodWhere(target(owner(assignableTo(Thread.class))).and(target(name("sleep"))))
            .because("an event loop that sleeps stops every sale on it");

    @ArchTest
    static final ArchRule nobodyWaitsForAResult = noClasses()
            .should()
            .callMethodWhere(target(owner(assignableTo(Uni.class))).and(target(name("await"))))
            .orShould()
            .callMethodWhere(
                    target(owner(assignableTo(Multi.class).or(resideInAnyPackage("io.smallrye.mutiny.groups"))))
                            .and(target(nameMatching("asIterable|asStream"))))
            .because("an event loop that waits for another step can wait for itself");

    @ArchTest
    static final ArchRule onlyTheStartWaitsForAFuture = noClasses()
            .that()
            .doNotHaveFullyQualifiedName("io.penstock.platform.KafkaAdmin")
            .should()
            .callMethodWhere(target(owner(assignableTo(Future.class))).and(target(nameMatching("get|join"))))
            .because("only the topics are waited for: on the main thread, bounded, before the channels start");

    @ArchTest
    static final ArchRule nobodyKnowsTheLocalServers = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAPackage(LOCAL)
            .because("without the profile `local` they are not in the artifact");

    @ArchTest
    static void everyPackageSaysWhatItIsFor(JavaClasses classes) throws Exception {
        Path sources = Path.of("src/main/java");
        List<Path> packages = classes.stream()
                .map(found -> sources.resolve(found.getPackageName().replace('.', '/')))
                .distinct()
                .toList();
        assertFalse(packages.isEmpty(), "no class was found");
        List<Path> silent = Stream.concat(packages.stream(), Stream.of(Path.of("src/local/java/io/penstock/local")))
                .filter(folder -> !Files.exists(folder.resolve("package-info.java")))
                .toList();
        assertEquals(List.of(), silent, "packages without a package-info.java: term, entry points, invariant");
    }
}
